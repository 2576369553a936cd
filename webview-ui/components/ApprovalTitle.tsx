import { Icon } from './Icon.tsx';

interface ApprovalTitleProps {
  readonly icon: string;
  readonly title: string;
  /** How many more wait behind this one. */
  readonly behind: number;
}

/** What a card asks about. */
export function ApprovalTitle({ icon, title, behind }: ApprovalTitleProps) {
  return (
    <h2 class="approval-title">
      <Icon name={icon} />
      <span>{title}</span>
      {behind > 0 && <span class="approval-behind">{behind} more waiting</span>}
    </h2>
  );
}
