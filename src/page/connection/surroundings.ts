export type Cancel = () => void;

/** The page's dependencies on the browser, injected so that tests can replace them. */
export type Surroundings = Readonly<{
  /** Request to a URL relative to the page. */
  fetch: (address: string, init?: RequestInit) => Promise<Response>;
  /** Wall-clock time, epoch ms, which continues while the machine sleeps. */
  now: () => number;
  after: (ms: number, run: () => void) => Cancel;
  isHidden: () => boolean;
  /** Calls `run` whenever the page becomes visible again, or the network is back. */
  onWake: (run: () => void) => Cancel;
}>;
