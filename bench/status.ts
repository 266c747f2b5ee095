import { machineUse } from '../src/app/run/machineUse.ts';
import { epochMs } from '../src/core/brand.ts';
import { toJson } from '../src/core/json.ts';
import type { Kernel } from '../src/engine/kernel/kernel.ts';
import { Readiness } from '../src/ops/readiness.ts';
import { RunMetrics } from '../src/ops/metrics.ts';
import { differencesOf, statusOf } from '../src/ops/model/statusOf.ts';
import { median, timed, type Result } from './result.ts';
import { fillOrder, MORNING, restOrder, startKernel } from './trading.ts';
import { WELL } from '../test/ops/well.ts';

const OPEN = 100;
const ENDED = 50_000;
/** Time between two orders, in ms: a strategy makes at most 2,000 a minute. */
const EVERY_MS = 100;
const ROUNDS = 200;
const WARM_UP = 50;

/** Measures one response to `GET /v1/status` of a run of weeks, as text. */
export async function status(): Promise<Result[]> {
  const few = await medianOf(statusText(weeks(0)));
  const value = await medianOf(statusText(weeks(ENDED)));
  const ratio = { vs: 'no ended order', x: value / few };
  return [{ name: 'status', value, unit: `ms for ${OPEN} open orders, ${ENDED} ended`, ratio }];
}

/** Measures one response to `GET /metrics` of the same run. */
export async function metrics(): Promise<Result[]> {
  const few = await medianOf(metricsText(weeks(0)));
  const value = await medianOf(metricsText(weeks(ENDED)));
  const ratio = { vs: 'no ended order', x: value / few };
  return [{ name: 'metrics', value, unit: `ms for ${OPEN} open orders, ${ENDED} ended`, ratio }];
}

/** A kernel whose strategy has `ended` filled orders, and its open ones. */
function weeks(ended: number): Kernel {
  let isResting = false;
  const kernel = startKernel({
    onTimer: ({ order }) => {
      if (isResting) order.limit('AAPL', { side: 'buy', shares: '10', price: '99.5' });
      else order.buy('AAPL', { notional: '100' });
    },
  });
  const timeOf = (index: number) => epochMs(MORNING + index * EVERY_MS);
  for (let index = 0; index < ended; index++) fillOrder(kernel, index, timeOf(index));
  isResting = true;
  for (let index = ended; index < ended + OPEN; index++) restOrder(kernel, index, timeOf(index));
  return kernel;
}

const statusIn = ({ context, reconciliation }: Kernel) =>
  statusOf({
    identity: {
      mode: 'dry-run',
      account: 'bench',
      version: '0',
      startedAt: '2026-06-15T15:00:00Z',
      killFiles: [],
    },
    isRunning: true,
    context,
    now: context.now,
    strategies: [{ id: 'bench', needs: { quotes: ['AAPL'] } }],
    differences: differencesOf(reconciliation),
    alarms: [],
    health: WELL,
  });

const statusText = (kernel: Kernel) => () => toJson(statusIn(kernel));

function metricsText(kernel: Kernel): () => Promise<string> {
  const { context } = kernel;
  const obstacles = { journal: null, gap: null, start: null };
  const readiness = new Readiness({ context, run: () => ({ obstacles, phase: 'running' }) });
  const run = new RunMetrics(
    {
      status: () => statusIn(kernel),
      health: () => readiness.look(context.now),
      context,
      now: () => context.now,
      budget: () => ({ used: 30, perMinute: 600 }),
      loopDelay: () => ({ median: 0.001, p99: 0.002, max: 0.003 }),
      notifier: () => null,
      dropped: new Map(),
      machine: () => machineUse('.', 'journal.sqlite'),
      readers: () => 0,
    },
    new Set(),
  );
  return () => run.text();
}

async function medianOf(work: () => unknown): Promise<number> {
  const times: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const ms = await timed(work);
    if (round >= 0) times.push(ms);
  }
  return median(times);
}
