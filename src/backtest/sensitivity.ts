import { cash, formatDecimal, parseCash } from '../core/amount.ts';
import { INTERVAL_MS } from '../domain/bar.ts';
import { modelOf, slippageOf, type BacktestOptions } from './options.ts';
import type { BacktestResult } from './result.ts';
import { runBacktest } from './runBacktest.ts';

/** A run with one thing of its market changed; the first is the run as it was. */
export type Variation = Readonly<{
  name: string;
  /** mUSD. */
  pnl: string;
  trades: number;
  /** As a part of the peak, at most 0; null where it is undefined. */
  maxDrawdown: number | null;
  /** What the change has made of the pnl, in mUSD. */
  difference: string;
}>;

type Change = readonly [
  name: string,
  change: Partial<Pick<BacktestOptions, 'ambiguous' | 'slippage' | 'latencyMs' | 'limitFill'>>,
];

/**
 * Runs a backtest again with each thing that nobody knows of its market the other way: bars in which an order arrives, slippage,
 * latency, limits that are only touched. A result that lives of one of them is none.
 * @param base the result of these options
 * @throws what `runBacktest` throws
 */
export async function sensitivityOf(options: BacktestOptions, base: BacktestResult): Promise<Variation[]> {
  const { onFact: _onFact, onProgress: _onProgress, ...quiet } = options;
  const variations = [variationOf('as given', base, base)];
  for (const [name, change] of changesOf(options))
    variations.push(variationOf(name, await runBacktest({ ...quiet, ...change }), base));
  return variations;
}

/** A pnl may be a loss. */
const SIGNED = { signed: true } as const;

const variationOf = (name: string, { pnl, trades, metrics }: BacktestResult, base: BacktestResult) => ({
  name,
  pnl,
  trades,
  maxDrawdown: metrics.maxDrawdown,
  difference: formatDecimal(cash(parseCash(pnl, SIGNED) - parseCash(base.pnl, SIGNED))),
});

function changesOf(options: BacktestOptions): Change[] {
  const { ambiguous, limitFill, latencyMs } = modelOf(options);
  const [other, rule] = [
    ambiguous === 'worst' ? 'best' : 'worst',
    limitFill === 'touch' ? 'through' : 'touch',
  ] as const;
  const late = barLength(options);
  return [
    [`ambiguous ${other}`, { ambiguous: other }],
    ...slippagesOf(options),
    ...[0, late]
      .filter((ms) => ms !== latencyMs)
      .map((ms): Change => [ms === 0 ? 'latency 0' : 'latency of a bar', { latencyMs: ms }]),
    [`limit fill ${rule}`, { limitFill: rule }],
  ];
}

function slippagesOf(options: BacktestOptions): Change[] {
  const given = slippageOf(options);
  const [kind = '', size = ''] = given.split(':');
  if (kind === 'none' || Number(size) === 0) return [];
  return [
    ['slippage doubled', { slippage: `${kind}:${2 * Number(size)}` }],
    ['no slippage', { slippage: 'none' }],
  ];
}

/** From open to close on most days. */
const SESSION_MS = 23_400_000;

/** Of the shortest bars, by which orders fill: of daily ones what is sent at the open meets the close. */
const barLength = ({ bars }: BacktestOptions): number =>
  Math.min(...bars.map(({ interval }) => Math.min(INTERVAL_MS[interval], SESSION_MS)));
