import * as endpoints from '../../api/endpoints/index.ts';
import { labelOf } from '../../api/endpoint.ts';
import type { VenueClient } from '../../api/client.ts';
import { machine, type Host } from '../../core/clock.ts';
import type { Journal } from '../../domain/journalEvent.ts';
import type { MetricsText } from '../../ops/daemon.ts';
import type { LoopDelayWatch } from '../../ops/eventLoop.ts';
import type { MetricsSource, RunMetrics } from '../../ops/metrics.ts';

type MonitoredRun = Omit<MetricsSource, 'budget' | 'loopDelay' | 'dropped'> &
  Readonly<{ client: VenueClient }>;

/** Measures a run, starting with the first scrape of its metrics. Before that nothing is loaded, counted or kept. */
export class RunMonitor {
  #metrics: Promise<RunMetrics> | null = null;
  #onCommit: (ms: number) => void = () => undefined;
  #delays: LoopDelayWatch | null = null;
  readonly #dropped = new Map<string, () => number>();

  /** Registers an output by name, with the number of lines that it has dropped. */
  countDropped(output: string, count: () => number): void {
    this.#dropped.set(output, count);
  }

  /** The journal, with its commits timed. */
  timed<J extends Journal>(journal: J): J {
    return timedJournal(journal, machine, (ms) => this.#onCommit(ms));
  }

  async scrape(run: MonitoredRun): Promise<MetricsText> {
    this.#metrics ??= this.#begin(run);
    const metrics = await this.#metrics;
    return { text: await metrics.text(), type: metrics.contentType };
  }

  close(): void {
    this.#delays?.stop();
  }

  async #begin({ client, ...source }: MonitoredRun): Promise<RunMetrics> {
    const { LoopDelayWatch } = await import('../../ops/eventLoop.ts');
    const { RunMetrics } = await import('../../ops/metrics.ts');
    const delays = (this.#delays = new LoopDelayWatch());
    const labels = new Set(Object.values(endpoints).map(labelOf));
    const metrics = new RunMetrics(
      { ...source, budget: () => client.budget, loopDelay: () => delays.read(), dropped: this.#dropped },
      labels,
    );
    client.watch(metrics.observeRequest);
    this.#onCommit = metrics.observeCommit;
    return metrics;
  }
}

/** The journal, with the real time in ms that each commit takes, failed ones included. */
export const timedJournal = <J extends Journal>(
  journal: J,
  { monotonic }: Pick<Host, 'monotonic'>,
  onCommit: (ms: number) => void,
): J => ({
  ...journal,
  commit(batch) {
    const from = monotonic();
    try {
      journal.commit(batch);
    } finally {
      onCommit(monotonic() - from);
    }
  },
});
