import { toNumber } from '../../core/amount.ts';
import { bpsBySide, feeSchedules } from '../../domain/fees.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Limits } from '../../domain/limits.ts';
import type { FeeView, StrategyLimit } from '../../strategy/shown.ts';
import { groupExposure, turnoverOf } from '../risk/sizeExposure.ts';
import { limitsNow } from '../state/tradingWindow.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { dayProfit, exposureOf } from '../state/exposure.ts';

const NONE: readonly StrategyLimit[] = Object.freeze([]);

/** Highest rates that the venue may charge, as far as they are known. */
export function feesOf(context: EngineContext): FeeView {
  let [buyBps, sellBps] = [0, 0];
  for (const schedule of feeSchedules(context)) {
    const { buy, sell } = bpsBySide(schedule);
    if (buy > buyBps) buyBps = buy;
    if (sell > sellBps) sellBps = sell;
  }
  return { buyBps, sellBps };
}

type Owner = Readonly<{ strategyId: string; known: ReadonlySet<string> }>;

/** Limits in force for a strategy: those of the run, then its own. The use of limits by other strategies is not shown. */
export function limitsOf(context: EngineContext, owner: Owner): readonly StrategyLimit[] {
  const { limits, ownLimits } = context.rules;
  const own = ownLimits.get(owner.strategyId);
  const all = [
    ...rowsOf(context, { scope: 'run', limits: limitsNow(context, limits) }, owner),
    ...(own ? rowsOf(context, { scope: 'strategy', limits: limitsNow(context, own) }, owner) : []),
  ];
  return all.length === 0 ? NONE : all;
}

type Amount = bigint | number | undefined;
type Row = readonly [name: string, limit: Amount, used: Used];

/** Amount of a limit that a strategy has used; null if that is not one amount. */
type Used = (context: EngineContext, owner: Owner) => Amount | null;

const unknown = () => null;

/** Limits that apply to no particular stock or group, in display order. */
const PLAIN = [
  ['orderNotional', unknown],
  ['positionNotional', unknown],
  ['grossExposure', (context, owner) => grossOf(context, owner)],
  [
    'ordersPerMinute',
    ({ accountState, now }, { strategyId }) => accountState.sends.lastMinute(now, strategyId),
  ],
  ['dayLoss', (context, { strategyId }) => lossOf(context, strategyId)],
  ['priceBandBps', unknown],
  ['premiumBps', unknown],
  ['quoteAgeMs', unknown],
  ['feeBps', unknown],
  ['turnoverPerDay', (context, { strategyId }) => turnoverOf(context, { strategyId })],
  ['debt', unknown],
] as const satisfies readonly (readonly [name: keyof Limits, used: Used])[];

/** Rows of a scope's limits. Built for each hook of a strategy in a thread, so an unset limit costs a single lookup. */
function rowsOf(
  context: EngineContext,
  { scope, limits }: Readonly<{ scope: StrategyLimit['scope']; limits: Limits }>,
  owner: Owner,
): StrategyLimit[] {
  const rows: StrategyLimit[] = [];
  const add = (name: string, limit: Amount, used: Used) => {
    if (limit !== undefined)
      rows.push({ name, scope, limit: numberOf(limit) ?? 0, used: numberOf(used(context, owner)) });
  };
  for (const [name, used] of PLAIN) add(name, limits[name], used);
  for (const [name, limit, used] of symbolRows(limits, owner)) add(name, limit, used);
  for (const [name, limit, used] of groupRows(limits, owner)) add(name, limit, used);
  return rows;
}

const symbolRows = ({ symbols = {} }: Limits, { known }: Owner): Row[] =>
  Object.entries(symbols).flatMap(([symbol, { orderNotional, positionNotional }]): Row[] =>
    known.has(symbol)
      ? [
          [`symbols.${symbol}.orderNotional`, orderNotional, unknown],
          [`symbols.${symbol}.positionNotional`, positionNotional, unknown],
        ]
      : [],
  );

const groupRows = ({ groups = {} }: Limits, { known }: Owner): Row[] =>
  Object.entries(groups).flatMap(([name, group]): Row[] => {
    if (!group.symbols.some((symbol) => known.has(symbol))) return [];
    const used: Used = (context, { strategyId }) => groupExposure(context, group, { strategyId });
    return [[`groups.${name}.positionNotional`, group.positionNotional, used]];
  });

/** Gross exposure of the strategy, read at any of its stocks with a price: only the position differs between stocks. */
function grossOf(context: EngineContext, { strategyId, known }: Owner): bigint | null {
  for (const symbol of known) {
    const exposure = exposureOf(context, { symbol: symbol as Ticker, strategyId });
    if (exposure) return exposure.gross;
  }
  return null;
}

function lossOf(context: EngineContext, strategyId: string): bigint {
  const profit = dayProfit(context, strategyId);
  return profit < 0n ? -profit : 0n;
}

const numberOf = (amount: Amount | null): number | null =>
  typeof amount === 'bigint' ? toNumber(amount) : (amount ?? null);
