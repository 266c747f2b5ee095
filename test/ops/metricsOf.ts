import { differencesOf, statusOf } from '../../src/ops/model/statusOf.ts';
import type { RunObstacles } from '../../src/engine/runtime/runOptions.ts';
import { Readiness } from '../../src/ops/readiness.ts';
import { RunMetrics, type MetricsSource } from '../../src/ops/metrics.ts';
import type { Stage } from '../engine/stage.ts';

/** Obstacles of a run without any. */
export const NONE = { journal: null, gap: null, start: null };
export const ENDPOINT = 'GET /api/v1/orders';

/** Readiness of a run on a stage. */
export const readinessOf = ({ runner }: Stage, obstacles: RunObstacles = NONE): Readiness =>
  new Readiness({
    context: runner.kernel.context,
    run: () => ({ obstacles, phase: runner.phase }),
    budget: () => ({ used: 30, perMinute: 600 }),
  });

/** Metrics of a run on a stage. */
export function metricsOf(stage: Stage, given: Partial<MetricsSource> = {}): RunMetrics {
  const { context, reconciliation } = stage.runner.kernel;
  const now = () => stage.clock.now();
  const readiness = readinessOf(stage);
  const health = () => readiness.look(now());
  const identity = {
    mode: 'dry-run',
    account: `0x${'ab'.repeat(20)} on chain 1, ProductA`,
    version: '1.2.3',
    startedAt: '2026-06-15T14:00:00Z',
    killFiles: [],
  } as const;
  return new RunMetrics(
    {
      status: () =>
        statusOf({
          identity,
          isRunning: true,
          context,
          now: now(),
          strategies: stage.options.strategies,
          differences: differencesOf(reconciliation),
          alarms: [
            {
              id: 'a1',
              at: '2026-06-15T14:00:00Z',
              text: 'look',
              count: 1,
              acknowledged: false,
              code: 'UNCLASSIFIED',
              severity: 'warning',
              subject: { account: null, strategy: null, symbol: null },
              command: null,
              ends: null,
            },
          ],
          health: health(),
        }),
      health,
      context,
      now,
      budget: () => ({ used: 30, perMinute: 600 }),
      loopDelay: () => ({ median: 0.001, p99: 0.002, max: 0.003 }),
      readers: () => 2,
      dropped: new Map([['terminal', () => 3]]),
      machine: () => ({
        cpuSeconds: 1.5,
        residentBytes: 9e7,
        heapBytes: 3e7,
        openFiles: 20,
        diskFreeBytes: 5e9,
        diskSizeBytes: 1e10,
        journalBytes: 4096,
      }),
      notifier: () => ({
        channels: [
          {
            id: 'phone',
            waiting: 3,
            oldestAt: now() - 5_000,
            delivered: 7,
            failures: 2,
            dropped: 1,
            isDown: true,
          },
        ],
        heartbeats: { sent: 4, failures: 1 },
        strangers: 6,
      }),
      ...given,
    },
    new Set([ENDPOINT]),
  );
}
