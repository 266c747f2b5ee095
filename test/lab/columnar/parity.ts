import fc from 'fast-check';
import { expect } from 'vitest';
import { runBacktest } from '../../../src/backtest/runBacktest.ts';
import type { BacktestOptions } from '../../../src/backtest/options.ts';
import type { BacktestResult } from '../../../src/backtest/result.ts';
import { ConfigError } from '../../../src/core/errors.ts';
import type { ColumnarResult } from '../../../src/lab/columnar/columnarResult.ts';
import { prepareColumnar } from '../../../src/lab/columnar/prepareColumnar.ts';
import { cases, ONCE_WRONG, optionsOf } from './cases.ts';

/** Parts of the results, compared digit by digit. */
const PARTS = [
  'strategy', 'params', 'symbols', 'bars', 'sessions', 'from', 'to', 'runId', 'trades', 'orders', 'pnl', 'fees', 'slippage',
  'dividends', 'receivable', 'equity', 'open', 'fills', 'tradeList', 'notes', 'tradeMetricsFrom', 'marks', 'metrics',
  'lots', 'benchmark',
] as const; // prettier-ignore

export type Both = Readonly<{ kernel: BacktestResult; columnar: ColumnarResult }>;

/** Runs a backtest by both engines; null where its options fit neither. */
export async function bothEngines(options: BacktestOptions | null): Promise<Both | null> {
  if (!options) return null;
  const kernel = await runBacktest(options).catch((error: unknown) => {
    if (error instanceof ConfigError) return null;
    throw error;
  });
  if (!kernel) return null;
  const prepared = prepareColumnar(options);
  if (!prepared.supported) throw new Error(`not supported: ${prepared.why.join(', ')}`);
  return { kernel, columnar: prepared.run(options.params ?? {}) };
}

/** Plays random cases on both engines, and expects equal results. */
export async function expectParity(count: number): Promise<void> {
  let [trading, played] = [0, 0];
  await fc.assert(
    fc.asyncProperty(cases, async (given) => {
      const both = await bothEngines(optionsOf(given));
      if (!both) return;
      played++;
      if (both.kernel.fills.length > 0) trading++;
      expect(differenceOf(both)).toBeNull();
    }),
    { numRuns: count, examples: ONCE_WRONG.map((given) => [given]) },
  );
  expect(played).toBeGreaterThan(count * 0.9);
  expect(trading).toBeGreaterThan(count * 0.6);
}

/** First part in which the two differ; null for none. */
export function differenceOf({ kernel, columnar }: Both): string | null {
  const equities = [Number(kernel.equity.start), ...kernel.marks.map(({ equity }) => equity)];
  const parts = [
    ...PARTS.map((name) => [name, kernel[name], columnar[name]] as const),
    ['equities', equities, [...columnar.equities]] as const,
  ];
  for (const [name, ...both] of parts) {
    const [one = '', other = ''] = both.map(textOf);
    if (one !== other) return `${name}: ${firstDifference(one, other)}`;
  }
  return null;
}

const textOf = (value: unknown): string =>
  JSON.stringify([value], (_key, each: unknown) => (typeof each === 'bigint' ? String(each) : each));

function firstDifference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  const around = (text: string) => text.slice(Math.max(0, at - 120), at + 160);
  return `kernel …${around(one)}… columnar …${around(other)}…`;
}
