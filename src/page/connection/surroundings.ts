export type Cancel = () => void;

/** What the page needs of the browser around it, injected so that tests may stand for it. */
export type Surroundings = Readonly<{
  /** Request to an address relative to the page. */
  fetch: (address: string, init?: RequestInit) => Promise<Response>;
  /** Wall time, epoch ms: it continues while the machine sleeps. */
  now: () => number;
  after: (ms: number, run: () => void) => Cancel;
  isHidden: () => boolean;
  /** Calls `run` whenever the page is shown again, or the network is back. */
  onWake: (run: () => void) => Cancel;
}>;
