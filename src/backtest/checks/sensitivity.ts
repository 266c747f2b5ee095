import { cash, formatDecimal, parseCash } from '../../core/amount.ts';
import { StrategyError } from '../../core/errors.ts';
import { INTERVAL_MS } from '../../domain/bar.ts';
import { cashOf, modelOf, slippageOf, type BacktestOptions } from '../options.ts';
import type { BacktestResult } from '../result.ts';
import { runBacktest } from '../runBacktest.ts';
import { strategiesOf } from '../setup.ts';

/** Run with one market assumption changed; the first is the original run. */
export type Variation = Readonly<{
  name: string;
  /** mUSD. */
  pnl: string;
  trades: number;
  /** Fraction of the peak, at most 0; null if it is undefined. */
  maxDrawdown: number | null;
  /** Effect of the change on the pnl, in mUSD. */
  difference: string;
}>;

type Change = readonly [
  name: string,
  change: Partial<Pick<BacktestOptions, 'ambiguous' | 'slippage' | 'outside' | 'latencyMs' | 'limitFill'>>,
];

/**
 * Repeats a backtest with each uncertain assumption reversed: fills in the bar of arrival, slippage, latency (some
 * seconds if the bot held triggered orders), limits only touched. A result that depends on one of them is worthless.
 * @param base the result of these options
 * @throws what `runBacktest` throws, and {StrategyError} when repeating a run changes the result
 */
export async function sensitivityOf(options: BacktestOptions, base: BacktestResult): Promise<Variation[]> {
  const { onFact: _onFact, onProgress: _onProgress, ...quiet } = options;
  const variations = [variationOf('as given', base, base)];
  for (const [name, change] of changesOf(options, base))
    variations.push(variationOf(name, await runBacktest({ ...quiet, ...change }), base));
  if ((await runBacktest(quiet)).pnl === base.pnl) return variations;
  throw new StrategyError(
    'repeating the same backtest gives another result, so --sensitivity shows nothing: a strategy or a fill model keeps ' +
      'state from one run to the next, at the top of its file. Create it in `create`',
  );
}

/** Profit or loss, so a minus is allowed. */
const SIGNED = { signed: true } as const;

const variationOf = (name: string, { pnl, trades, metrics }: BacktestResult, base: BacktestResult) => ({
  name,
  pnl,
  trades,
  maxDrawdown: metrics.maxDrawdown,
  difference: formatDecimal(cash(parseCash(pnl, SIGNED) - parseCash(base.pnl, SIGNED))),
});

/** Delay of triggered stops in ms: the time that a cancel, a signature and a response may take. */
const TOUCH_DELAY_MS = 5_000;

function changesOf(options: BacktestOptions, { heldOrders }: BacktestResult): Change[] {
  const { ambiguous, limitFill, latencyMs } = modelOf(options);
  const [other, rule] = [
    ambiguous === 'worst' ? 'best' : 'worst',
    limitFill === 'touch' ? 'through' : 'touch',
  ] as const;
  const late = barLength(options);
  return [
    [`ambiguous ${other}`, { ambiguous: other }],
    ...slippagesOf(options),
    ...nightsOf(options),
    ...[0, late]
      .filter((ms) => ms !== latencyMs)
      .map((ms): Change => [ms === 0 ? 'latency 0' : 'latency of a bar', { latencyMs: ms }]),
    ...(heldOrders === 0
      ? []
      : [['latency 5 s longer', { latencyMs: latencyMs + TOUCH_DELAY_MS }] satisfies Change]),
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

/** Half spread in bps that is tried outside the session if none is configured there. */
const NIGHT_SPREAD = 'spread:10';

/** Changes outside the session: other costs and, unless a strategy decides on bars of that time, no trading. */
function nightsOf(options: BacktestOptions): Change[] {
  const { outside } = options;
  if (!outside) return [];
  const isNeeded = strategiesOf(options, cashOf(options)).some(({ needs }) =>
    needs.bars?.some(({ phases }) => phases),
  );
  const [kind = '', size = ''] = (outside.slippage ?? '').split(':');
  const dearer = Number(size) > 0 ? `${kind}:${2 * Number(size)}` : NIGHT_SPREAD;
  return [
    [`slippage outside ${dearer}`, { outside: { ...outside, slippage: dearer } }],
    ...(isNeeded ? [] : [['no trading outside the session', { outside: undefined }] satisfies Change]),
  ];
}

/** Milliseconds from open to close on most days. */
const SESSION_MS = 23_400_000;

/** Length of the shortest bars, at which orders fill. Daily bars count as a session, from the open to the close. */
const barLength = ({ bars }: BacktestOptions): number =>
  Math.min(...bars.map(({ interval }) => Math.min(INTERVAL_MS[interval], SESSION_MS)));
