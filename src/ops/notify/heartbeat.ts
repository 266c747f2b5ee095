import { SECOND_MS } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { attempt, deliveryOf, reasonOf, type Delivery, type Http } from './delivery.ts';

export type HeartbeatOptions = Readonly<{
  url: string;
  method: 'GET' | 'POST';
  everySeconds: number;
  http: Http;
  clock: Clock;
  isReady: () => boolean;
}>;

/** Maximum wait for a response, in ms. */
const ATTEMPT_MS = 10_000;

/** Heartbeat: requests a URL only while the run is ready, so that a monitoring service notices when it is not. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  readonly #end = new AbortController();
  #sent = 0;
  #failures = 0;

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  get counts(): Readonly<{ sent: number; failures: number }> {
    return { sent: this.#sent, failures: this.#failures };
  }

  async run(): Promise<void> {
    const { clock, everySeconds, isReady } = this.#options;
    while (!this.#end.signal.aborted) {
      if (isReady()) {
        const { ok } = await beat(this.#options, this.#end.signal);
        if (ok) this.#sent++;
        else this.#failures++;
      }
      await clock.sleep(everySeconds * SECOND_MS, this.#end.signal).catch(() => undefined);
    }
  }

  stop(): void {
    this.#end.abort();
  }
}

/** Requests the URL once. */
export const beat = (
  { url, method, http, clock }: Pick<HeartbeatOptions, 'url' | 'method' | 'http' | 'clock'>,
  stop: AbortSignal,
): Promise<Delivery> =>
  attempt(
    (signal) =>
      http({ method, url, signal }).then(
        (answer) => deliveryOf(answer, clock.now()),
        (error: unknown) => ({ ok: false, reason: reasonOf(error) }),
      ),
    { clock, ms: ATTEMPT_MS, stop },
  );
