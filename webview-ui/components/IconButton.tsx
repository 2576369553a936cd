import { Icon } from './Icon.tsx';

interface IconButtonProps {
  readonly icon: string;
  /** Said by screen readers and shown as the tooltip. */
  readonly label: string;
  readonly onClick: () => void;
  readonly testId?: string | undefined;
  readonly pressed?: boolean | undefined;
  readonly disabled?: boolean | undefined;
}

export function IconButton({ icon, label, onClick, testId, pressed, disabled }: IconButtonProps) {
  return (
    <button type="button" class="icon-button" title={label} aria-label={label} aria-pressed={pressed} disabled={disabled} data-testid={testId} onClick={onClick}>
      <Icon name={icon} />
    </button>
  );
}
