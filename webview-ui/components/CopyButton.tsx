import { useEffect, useState } from 'preact/hooks';
import { IconButton } from './IconButton.tsx';
import { usePanel } from './PanelContext.ts';

const shownMs = 1500;

/** Copies the text and says so for a moment. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const { post } = usePanel();
  const [copied, setCopied] = useState(false);
  useEffect(() => {
    if (!copied) return;
    const timer = setTimeout(() => setCopied(false), shownMs);
    return () => clearTimeout(timer);
  }, [copied]);
  const copy = (): void => {
    navigator.clipboard.writeText(text).then(
      () => setCopied(true),
      (error: unknown) => post({ type: 'panel-error', message: `The text could not be copied: ${String(error)}` }),
    );
  };
  return <IconButton icon={copied ? 'check' : 'copy'} label={copied ? 'Copied' : label} onClick={copy} />;
}
