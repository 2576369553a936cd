import { Component } from 'preact';
import type { ComponentChildren } from 'preact';
import { PanelContext } from './PanelContext.ts';

interface ErrorBoundaryProps {
  /** What failed, for the log: "message", "panel". */
  readonly what: string;
  /** Shown in place of what threw; `retry` shows it once more. */
  readonly fallback: (retry: () => void) => ComponentChildren;
  readonly children: ComponentChildren;
}

interface ErrorBoundaryState {
  readonly failed: boolean;
}

const reported = new Set<string>();

/** What throws while it is shown takes only itself away, and the host's log says why. */
export class ErrorBoundary extends Component<ErrorBoundaryProps, ErrorBoundaryState> {
  static override contextType = PanelContext;
  override state: ErrorBoundaryState = { failed: false };

  static override getDerivedStateFromError(): ErrorBoundaryState {
    return { failed: true };
  }

  override componentDidCatch(error: unknown): void {
    const message = error instanceof Error ? (error.stack ?? error.message) : String(error);
    // Rows come and go with scrolling: one that throws each time is one line in the log.
    if (reported.has(message)) return;
    reported.add(message);
    const panel = this.context as { post?: (message: unknown) => void } | null;
    panel?.post?.({ type: 'panel-error', message: `A ${this.props.what} could not be shown. ${message}` });
  }

  override render(): ComponentChildren {
    return this.state.failed ? this.props.fallback(() => this.setState({ failed: false })) : this.props.children;
  }
}
