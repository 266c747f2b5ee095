import { Component, type ComponentChildren } from 'preact';

type GuardProps = Readonly<{ children: ComponentChildren; version: string | null }>;
type GuardState = Readonly<{ error: string | null }>;

/** Frame around a view: where it fails, it says so, and the rest of the page goes on. `version`: of the daemon that is shown. */
export class Guard extends Component<GuardProps, GuardState> {
  override state: GuardState = { error: null };

  static override getDerivedStateFromError(error: unknown): GuardState {
    return { error: error instanceof Error ? error.message : 'unknown' };
  }

  override render({ children, version }: GuardProps, { error }: GuardState): ComponentChildren {
    if (error === null) return children;
    return (
      <p role="alert" class="loss">
        This view failed and shows nothing: {error}. The daemon ({version ?? 'of an unknown version'}) goes
        on; `drover status` shows the same in a terminal.
      </p>
    );
  }
}
