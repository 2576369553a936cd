import { useState } from 'preact/hooks';
import type { ApprovalView } from '../../src/protocol/chatView.ts';
import type { RememberedRule } from '../../src/protocol/permissionRules.ts';
import { visibleText } from '../text/visibleText.ts';
import { AlwaysAllow } from './AlwaysAllow.tsx';
import { ApprovalTitle } from './ApprovalTitle.tsx';
import { CodeBlock } from './CodeBlock.tsx';
import { Markdown } from './Markdown.tsx';
import { usePanel } from './PanelContext.ts';
import { ReasonInput } from './ReasonInput.tsx';
import { useDeafAtFirst } from './useDeafAtFirst.ts';

const labels = {
  edit: { icon: 'edit', allow: 'Accept', deny: 'Reject' },
  command: { icon: 'terminal', allow: 'Run', deny: "Don't run" },
  plan: { icon: 'list-ordered', allow: 'Begin', deny: 'Keep planning' },
  other: { icon: 'tools', allow: 'Allow', deny: "Don't allow" },
} as const;

interface ApprovalCardProps {
  readonly approval: ApprovalView;
  /** How many more wait behind this one. */
  readonly behind: number;
  /** Called after the user has answered, so that the caret has a place when this card goes. */
  readonly onAnswered: () => void;
}

/** Asks for one decision. Never takes the focus, and its buttons are dead for a moment after they appear. */
export function ApprovalCard({ approval, behind, onAnswered }: ApprovalCardProps) {
  const { post } = usePanel();
  const [reason, setReason] = useState('');
  const [answered, setAnswered] = useState(false);
  const deaf = useDeafAtFirst();
  const { icon, allow, deny } = labels[approval.kind];
  const isShownFirst = approval.kind === 'edit' && approval.isLeftOpen === true;
  const answer = (behavior: 'allow' | 'deny', remember?: RememberedRule): void => {
    if (deaf || answered) return;
    setAnswered(true);
    const said = reason.trim();
    post({ type: 'approval-answer', id: approval.id, behavior, ...(behavior === 'deny' && said !== '' ? { reason: said } : {}), ...(remember && { remember }) });
    onAnswered();
  };
  return (
    <section class="approval" data-testid="approval" data-kind={approval.kind} aria-label={`Your decision: ${approval.title}`}>
      <ApprovalTitle icon={icon} title={approval.title} behind={behind} />
      {approval.reason && <p class={approval.isLeftOpen ? 'quiet' : 'approval-why'}>{approval.reason}</p>}
      <ApprovalDetail approval={approval} />
      <ReasonInput value={reason} onInput={setReason} />
      <div class="approval-buttons">
        <button type="button" class="button" data-testid="approve" disabled={deaf || answered} onClick={() => answer('allow')}>
          {isShownFirst ? 'Show proposal' : allow}
        </button>
        <button type="button" class="button button-secondary" data-testid="reject" disabled={deaf || answered} onClick={() => answer('deny')}>
          {deny}
        </button>
      </div>
      {approval.suggestedRule !== undefined && <AlwaysAllow approval={approval} disabled={deaf || answered} onAllow={(remember) => answer('allow', remember)} />}
    </section>
  );
}

function ApprovalDetail({ approval }: { readonly approval: ApprovalView }) {
  switch (approval.kind) {
    case 'edit':
      return <p class="approval-path">{visibleText(approval.detail)}</p>;
    case 'command':
      return <CodeBlock code={approval.detail} language="bash" />;
    case 'plan':
      return (
        <div class="approval-plan" tabIndex={0}>
          <Markdown text={approval.detail} streaming={false} />
        </div>
      );
    case 'other':
      return <CodeBlock code={approval.detail} language={approval.detail.startsWith('{') ? 'json' : ''} />;
  }
}
