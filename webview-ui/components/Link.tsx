import type { ComponentChildren } from 'preact';
import { usePanel } from './PanelContext.ts';

interface LinkProps {
  readonly href: string;
  readonly title?: string | undefined;
  readonly children?: ComponentChildren;
}

/** A link that the host opens. */
export function Link({ href, title, children }: LinkProps) {
  const { post } = usePanel();
  const open = (event: MouseEvent): void => {
    event.preventDefault();
    // VS Code listens further up and would open the link a second time.
    event.stopPropagation();
    post({ type: 'open-link', url: href });
  };
  return (
    <a href={href} title={title ?? href} onClick={open}>
      {children}
    </a>
  );
}
