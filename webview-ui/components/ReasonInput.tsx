interface ReasonInputProps {
  readonly value: string;
  readonly onInput: (value: string) => void;
}

/** Why not, for the model. Nothing has to be said. */
export function ReasonInput({ value, onInput }: ReasonInputProps) {
  return (
    <input
      class="approval-reason"
      type="text"
      data-testid="reject-reason"
      aria-label="What should be different? Sent with your refusal"
      placeholder="What should be different?"
      value={value}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}
