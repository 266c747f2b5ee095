import type { BacktestOptions, BacktestStrategy } from '../../backtest/options.ts';
import { cashOf, modelOf } from '../../backtest/options.ts';
import { parseCash } from '../../core/amount.ts';
import type { Limits } from '../../domain/limits.ts';
import { isSignals, type SignalsDefinition } from '../../strategy/signals/defineSignals.ts';

/** Strategy of a trial, whose parameters come with it. */
export type SignalsStrategy = BacktestStrategy & Readonly<{ definition: SignalsDefinition }>;

/** Most symbols that change at one bar: more orders within a minute are refused by the kernel. */
const SYMBOLS_MAX = 2_000;

/** The one strategy of the options, of signals or not; null for several or none. */
export function onlyStrategy({ strategy, strategies }: BacktestOptions): BacktestStrategy | null {
  if (strategies) return strategies.length === 1 ? (strategies[0] ?? null) : null;
  return strategy ? { definition: strategy } : null;
}

export const hasSignals = (strategy: BacktestStrategy): strategy is SignalsStrategy =>
  isSignals(strategy.definition);

/** Parts of a backtest that the columnar engine does not support, in the words of its options; none where it plays it. */
export function unsupported(options: BacktestOptions): string[] {
  const { bars, limits = {}, onFact } = options;
  const strategy = onlyStrategy(options);
  const capital = strategy?.capital;
  const {
    fill,
    own,
    slippage,
    volumeCap,
    latencyMs,
    settlementMs,
    delisted,
    dividends,
    stockDividends,
    withheldPercent,
  } = modelOf(options);
  const lengths = [...new Set(bars.map(({ interval }) => interval))];
  const reasons: readonly (readonly [isUnsupported: boolean, what: string])[] = [
    [strategy === null, 'several strategies'],
    [strategy !== null && !hasSignals(strategy), 'a strategy that is not of defineSignals'],
    [strategy?.createRuntime !== undefined, 'a strategy in a thread of its own (--isolate)'],
    [
      capital !== undefined && parseCash(capital) !== cashOf(options),
      'capital of a strategy beside the cash',
    ],
    [binds(limits) || binds(strategy?.limits ?? {}), 'limits'],
    [fill === 'venue', 'fill venue'],
    [own !== undefined, `the fill model ${own?.name ?? ''}`],
    [slippage.kind !== 'none' && slippage.kind !== 'bps', `slippage ${slippage.kind}`],
    [volumeCap !== null, 'a volume cap'],
    [latencyMs > 0, 'latency'],
    [settlementMs > 0, 'a delay of settlements'],
    [delisted === 'zero', 'delisted zero'],
    [dividends !== undefined, `dividends ${dividends ?? ''}`],
    [stockDividends !== undefined, 'dividends of single stocks'],
    [withheldPercent !== undefined, 'dividends of which a part is withheld'],
    [lengths.length > 1, `bars of several lengths (${lengths.join(', ')})`],
    [lengths.includes('1w'), 'weekly bars'],
    [bars.length > SYMBOLS_MAX, `more than ${SYMBOLS_MAX} symbols`],
    [onFact !== undefined, 'events of the journal (onFact)'],
  ];
  return reasons.flatMap(([isUnsupported, what]) => (isUnsupported ? [what] : []));
}

const binds = ({ limitPolicy: _, ...limits }: Limits): boolean =>
  Object.values(limits).some((limit) => limit !== undefined);
