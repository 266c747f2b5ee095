import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { epochMs } from '../src/core/brand.ts';
import { ticker } from '../src/domain/instrument.ts';
import type { StrategyRuntime } from '../src/engine/strategy/strategyRuntime.ts';
import { IsolatedStrategy, threadOptions } from '../src/app/isolation/isolatedStrategy.ts';
import { ThreadGroup } from '../src/app/isolation/threadGroup.ts';
import type { Bar, DataNeeds } from '../src/strategy/index.ts';
import { startKernelOn } from './trading.ts';
import { median, type Result } from './result.ts';

const HOOKS = 20_000;
const WARM_UP = 2_000;
const LIMITS = { hookMs: 5_000, startMs: 30_000, memoryMb: 512 };

/** A strategy that reads what a strategy usually reads, and keeps a little state. */
const STRATEGY = `
import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'looking', description: 'For a benchmark.', params: z.strictObject({}),
  data: () => ({ bars: [{ symbol: 'AAPL', interval: '1m' }], quotes: ['AAPL'] }),
  create: ({ state }) => ({
    onBar({ bar, view }) { state.last = bar.close + view.cash + view.equity + view.position('AAPL'); },
  }),
});
`;

const barAt = (index: number): Bar => ({
  symbol: ticker('AAPL'),
  interval: '1m',
  start: epochMs(1_800_000_000_000 + index * 60_000),
  open: 100,
  high: 101,
  low: 99,
  close: 100 + (index % 10),
  volume: 1_000,
});

/** Measures one hook of a strategy in its own thread: view sent, state returned, the main thread waiting. */
export async function worker(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  writeFileSync(join(folder, 'looking.ts'), STRATEGY);
  const strategy = await IsolatedStrategy.start('./looking.ts', folder, {
    id: 'looking',
    group: new ThreadGroup(threadOptions(LIMITS)),
    limits: LIMITS,
    print: () => undefined,
    kept: [],
  });
  try {
    strategy.load({}, () => new Error('the parameters do not fit'));
    const micros = timesOf(strategy);
    return [
      { name: 'worker', value: median(micros), unit: 'µs' },
      { name: 'worker p99', value: micros.toSorted((a, b) => a - b)[HOOKS * 0.99] ?? NaN, unit: 'µs' },
    ];
  } finally {
    await strategy.close();
    rmSync(folder, { recursive: true });
  }
}

function timesOf(strategy: IsolatedStrategy): number[] {
  let runtime: StrategyRuntime | undefined;
  const needs: DataNeeds = { quotes: ['AAPL'], bars: [{ symbol: 'AAPL', interval: '1m' }] };
  const kernel = startKernelOn((context) => (runtime = strategy.createRuntime(context)), needs);
  const series = kernel.context.market.series({ symbol: ticker('AAPL'), interval: '1m' });
  const micros: number[] = [];
  for (let index = 0; index < HOOKS + WARM_UP; index++) {
    const bar = barAt(index);
    series.append(bar);
    const from = performance.now();
    runtime?.bar(bar);
    if (index >= WARM_UP) micros.push((performance.now() - from) * 1_000);
  }
  return micros;
}
