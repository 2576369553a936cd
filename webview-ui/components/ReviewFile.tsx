import type { HunkView, ProposedFileView } from '../../src/protocol/chatView.ts';
import { visibleText } from '../text/visibleText.ts';
import { Diff } from './Diff.tsx';
import { Icon } from './Icon.tsx';
import { IconButton } from './IconButton.tsx';
import { usePanel } from './PanelContext.ts';
import { useUnfolded } from './useUnfolded.ts';

interface ReviewFileProps {
  /** Of the set. */
  readonly id: string;
  readonly index: number;
  readonly file: ProposedFileView;
  /** The card's own buttons decide it. */
  readonly isOnly: boolean;
  readonly deaf: boolean;
  readonly takeReason: () => { reason?: string };
}

const states = { current: '', rebased: 'merged', conflict: 'conflict', gone: 'out of date' } as const;
const decisions = { allow: 'accepted', deny: 'rejected' } as const;

/** One file of a change set, with its changed lines. */
export function ReviewFile({ id, index, file, isOnly, deaf, takeReason }: ReviewFileProps) {
  const { post } = usePanel();
  const [shown, toggle] = useUnfolded(`${id} ${index}`, isOnly);
  const decide = (behavior: 'allow' | 'deny' | 'undo'): void => post({ type: 'file-answer', id, file: index, behavior, ...(behavior === 'deny' && takeReason()) });
  const state = file.decision ? decisions[file.decision] : states[file.state];
  return (
    <li class={`review-file${file.decision ? ' review-file-decided' : ''}`} data-testid="review-file" data-state={file.state} data-decision={file.decision ?? 'open'}>
      {(!isOnly || state !== '') && (
        <div class="review-head">
          {!isOnly && <IconButton icon={shown ? 'chevron-down' : 'chevron-right'} label={`${shown ? 'Hide' : 'Show'} the changes of ${file.path}`} onClick={toggle} />}
          {!isOnly && (
            <button type="button" class="review-path" title={`Open the diff of ${file.path}`} onClick={() => post({ type: 'open-diff', id, file: index })}>
              {/* Cut at its start, which says less than its end. */}
              <bdi>{visibleText(file.path)}</bdi>
            </button>
          )}
          {state !== '' && <span class={`review-state review-state-${file.decision ?? file.state}`}>{state}</span>}
          {!isOnly && file.isNew && state === '' && <span class="review-state">new</span>}
          {!isOnly && <Counts file={file} />}
          {!isOnly && !file.decision && <IconButton icon="check" label={`Accept ${file.path}`} testId="accept-file" disabled={deaf} onClick={() => decide('allow')} />}
          {!isOnly && !file.decision && <IconButton icon="close" label={`Reject ${file.path}`} testId="reject-file" disabled={deaf} onClick={() => decide('deny')} />}
          {file.decision && <IconButton icon="discard" label={`Decide again about ${file.path}`} testId="undo-file" onClick={() => decide('undo')} />}
        </div>
      )}
      {file.note && !file.decision && <p class={file.state === 'rebased' ? 'quiet' : 'approval-why'}>{file.note}</p>}
      {shown && <Hunks id={id} index={index} file={file} deaf={deaf} takeReason={takeReason} />}
    </li>
  );
}

function Counts({ file }: { readonly file: ProposedFileView }) {
  return (
    <span class="review-counts">
      {file.linesAdded > 0 && <span class="lines-added">+{file.linesAdded}</span>} {file.linesRemoved > 0 && <span class="lines-removed">−{file.linesRemoved}</span>}
    </span>
  );
}

/** A single hunk needs no buttons of its own: it is the file. */
function Hunks({ id, index, file, deaf, takeReason }: Omit<ReviewFileProps, 'isOnly'>) {
  const { hunks } = file;
  const isDecidable = !file.decision && hunks.length > 1;
  return (
    <div class="review-hunks">
      {hunks.map((hunk, number) => (
        <div key={hunk.key} class="review-hunk" data-testid="review-hunk" data-accepted={hunk.accepted}>
          {hunk.diff === '' ? <p class="quiet">Too much to show here; the diff editor shows it.</p> : <Diff diff={hunk.diff} />}
          {isDecidable && <HunkButtons id={id} index={index} hunk={hunk} place={`change ${number + 1} of ${hunks.length}`} deaf={deaf} takeReason={takeReason} />}
        </div>
      ))}
    </div>
  );
}

interface HunkButtonsProps extends Pick<ReviewFileProps, 'id' | 'index' | 'deaf' | 'takeReason'> {
  readonly hunk: HunkView;
  readonly place: string;
}

function HunkButtons({ id, index, hunk, place, deaf, takeReason }: HunkButtonsProps) {
  const { post } = usePanel();
  const decide = (behavior: 'allow' | 'deny'): void => post({ type: 'hunk-answer', id, file: index, hunk: hunk.key, behavior, ...(behavior === 'deny' && takeReason()) });
  return (
    <div class="review-hunk-buttons">
      {hunk.accepted ? (
        <span class="review-state review-state-allow">
          <Icon name="check" /> accepted
        </span>
      ) : (
        <IconButton icon="check" label={`Accept ${place}`} testId="accept-hunk" disabled={deaf} onClick={() => decide('allow')} />
      )}
      <IconButton icon="close" label={`Reject ${place}`} testId="reject-hunk" disabled={deaf} onClick={() => decide('deny')} />
    </div>
  );
}
