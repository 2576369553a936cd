import { useRef } from 'preact/hooks';
import type { ApprovalView } from '../../src/protocol/chatView.ts';
import { ApprovalCard } from './ApprovalCard.tsx';
import { Composer } from './Composer.tsx';
import { KeyCard } from './KeyCard.tsx';
import { usePanel } from './PanelContext.ts';
import { QuestionCard } from './QuestionCard.tsx';
import { Queue } from './Queue.tsx';
import { ReviewCard } from './ReviewCard.tsx';
import { RetryBanner } from './RetryBanner.tsx';
import { TodoList } from './TodoList.tsx';
import { Working } from './Working.tsx';

/** What stays in sight below the conversation: what waits for the user, and where the user writes. */
export function Dock() {
  const { state } = usePanel();
  const { approvals, items, questions, retry, running, status } = state.value;
  const place = useRef<HTMLDivElement>(null);
  const [approval] = approvals;
  // The pressed button goes away: keyboard users go on from its place, not from the top of the panel.
  const keepPlace = (): void => place.current?.focus({ preventScroll: true });
  return (
    <footer class="dock">
      {status?.needsKey && items.length > 0 && <KeyCard />}
      <TodoList />
      {retry && <RetryBanner retry={retry} />}
      {running && !approval && !questions && !retry && <Working />}
      <div ref={place} tabIndex={-1} class="approval-place">
        {approval && <Approval key={approval.id} approval={approval} behind={approvals.length - 1 + (questions ? 1 : 0)} onAnswered={keepPlace} />}
        {questions && !approval && <QuestionCard key={questions.id} view={questions} onAnswered={keepPlace} />}
      </div>
      <Queue />
      <Composer />
    </footer>
  );
}

function Approval(props: { readonly approval: ApprovalView; readonly behind: number; readonly onAnswered: () => void }) {
  const { files } = props.approval;
  return files ? <ReviewCard {...props} files={files} /> : <ApprovalCard {...props} />;
}
