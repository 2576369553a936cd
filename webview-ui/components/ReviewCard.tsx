import { useState } from 'preact/hooks';
import type { ApprovalView, ProposedFileView } from '../../src/protocol/chatView.ts';
import type { RememberedRule } from '../../src/protocol/permissionRules.ts';
import { countOf } from '../text/format.ts';
import { AlwaysAllow } from './AlwaysAllow.tsx';
import { ApprovalTitle } from './ApprovalTitle.tsx';
import { usePanel } from './PanelContext.ts';
import { ReasonInput } from './ReasonInput.tsx';
import { ReviewFile } from './ReviewFile.tsx';
import { useDeafAtFirst } from './useDeafAtFirst.ts';

interface ReviewCardProps {
  readonly approval: ApprovalView;
  readonly files: readonly ProposedFileView[];
  /** How many more wait behind this one. */
  readonly behind: number;
  /** Called after the user has answered, so that the caret has a place when this card goes. */
  readonly onAnswered: () => void;
}

/** Asks about proposed changes: all at once, file by file, or hunk by hunk. Never takes the focus, and is deaf for a moment after it appears. */
export function ReviewCard({ approval, files, behind, onAnswered }: ReviewCardProps) {
  const { post } = usePanel();
  const [reason, setReason] = useState('');
  const deaf = useDeafAtFirst();
  const { id } = approval;
  const isOne = files.length === 1;
  const open = files.filter(({ decision }) => !decision).length;
  /** What the user has said goes with the first refusal, and only with that. */
  const takeReason = (): { reason?: string } => {
    const said = reason.trim();
    setReason('');
    return said === '' ? {} : { reason: said };
  };
  const answer = (behavior: 'allow' | 'deny', remember?: RememberedRule): void => {
    post({ type: 'approval-answer', id, behavior, ...(behavior === 'deny' && takeReason()), ...(remember && { remember }) });
    onAnswered();
  };
  return (
    <section class="approval" data-testid="approval" data-kind="edit" aria-label={`Your decision: ${approval.title}`}>
      <ApprovalTitle icon={isOne ? 'edit' : 'files'} title={approval.title} behind={behind} />
      {approval.reason && <p class="approval-why">{approval.reason}</p>}
      <ul class="review-files">
        {files.map((file, index) => (
          <ReviewFile key={index} id={id} index={index} file={file} isOnly={isOne} deaf={deaf} takeReason={takeReason} />
        ))}
      </ul>
      <ReasonInput value={reason} onInput={setReason} />
      <div class="approval-buttons">
        <button type="button" class="button" data-testid="approve" disabled={deaf} onClick={() => answer('allow')}>
          {allLabel('Accept', files.length, open)}
        </button>
        <button type="button" class="button button-secondary" data-testid="reject" disabled={deaf} onClick={() => answer('deny')}>
          {allLabel('Reject', files.length, open)}
        </button>
        <button type="button" class="text-button approval-open" data-testid="open-diff" onClick={() => post({ type: 'open-diff', id })}>
          {isOne ? 'Open diff' : 'Open all'}
        </button>
      </div>
      {!isOne && open < files.length && <p class="quiet" role="status">{`Nothing is written before all are decided: ${countOf(open, 'file')} to go.`}</p>}
      {approval.suggestedRule !== undefined && <AlwaysAllow approval={approval} disabled={deaf} onAllow={(remember) => answer('allow', remember)} />}
    </section>
  );
}

function allLabel(verb: string, count: number, open: number): string {
  if (count === 1) return verb;
  return open === count ? `${verb} all` : `${verb} the rest`;
}
