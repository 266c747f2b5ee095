import { decimalsOf, stepOf } from '../../core/amount.ts';
import { fillBandOf } from '../../domain/orders/settlementRules.ts';
import type { BudgetUse } from '../../api/budget.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { LimitName, Limits } from '../../domain/limits.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import { JUMP_PERCENT } from '../../engine/state/market.ts';
import { exposuresOf, watchedEquity, type AccountValues } from '../../engine/state/exposure.ts';
import { drawdownBound, drawdownOf, peakOf } from '../../engine/risk/drawdowns.ts';
import { streakOf } from '../../engine/risk/pauses.ts';
import {
  doubtLimitOf,
  groupExposure,
  owedShares,
  solicitedDoubt,
  turnoverOf,
} from '../../engine/risk/sizeExposure.ts';
import { limitsNow } from '../../engine/state/tradingWindow.ts';
import type { LimitView } from './status.ts';

/** Places to which a percentage is shown. */
const PLACES = stepOf(2);

/** All configured limits of the run and of each strategy, with current use in the same unit; null if it depends on an order. */
export function limitsOf(
  context: EngineContext,
  values: AccountValues,
  budget: BudgetUse | null,
): LimitView[] {
  const { limits, ownLimits } = context.rules;
  const stocks = stocksOf(context);
  const present = (own: Limits) => ({ limits: own.outside ? limitsNow(context, own) : own, stocks });
  const scopes: Scope[] = [
    { ...present(limits), today: values.today },
    ...[...ownLimits].map(([strategyId, own]) => {
      const today = values.owners.get(strategyId)?.today ?? 0n;
      return { ...present(own), strategyId, today };
    }),
  ];
  const { used = 0, perMinute = Infinity } = budget ?? {};
  const limit = Number.isFinite(perMinute) ? perMinute : undefined;
  const requests = row({ name: 'requestsPerMinute', scope: 'everything', used, limit });
  return decimalsOf([...scopes.flatMap((scope) => limitsOfScope(context, scope)), ...requests]);
}

/** `today`: profit since the session opened. */
type Scope = Readonly<{ limits: Limits; stocks: Stocks; strategyId?: string; today: bigint }>;

function limitsOfScope(context: EngineContext, { limits, stocks, strategyId, today }: Scope): LimitRow[] {
  const scope = strategyId === undefined ? 'everything' : `strategy ${strategyId}`;
  const selection = strategyId === undefined ? {} : { strategyId };
  const { gross, positions } = exposuresOf(context, strategyId);
  const positionIn = (symbol: Ticker) => (stocks.priced.has(symbol) ? (positions.get(symbol) ?? 0n) : 0n);
  const plain = (name: PlainLimit, used: bigint | number | null = null) =>
    row({ name, scope, limit: limits[name], used });
  return [
    ...plain('orderNotional'),
    ...positionsOf(
      stocks.named.map((symbol) => [symbol, positionIn(symbol)]),
      { limits, scope, selection },
    ),
    ...doubtsOf(context, { limits, scope, selection }),
    ...plain('grossExposure', stocks.priced.size === 0 ? null : gross),
    ...plain('ordersPerMinute', context.accountState.sends.lastMinute(context.now, strategyId)),
    ...plain('dayLoss', today < 0n ? -today : 0n),
    ...plain('priceBandBps'),
    ...plain('premiumBps'),
    ...(strategyId === undefined
      ? [
          ...row({ name: 'fillBandBps', scope, limit: fillBandOf(context.rules), used: null }),
          ...row({ name: 'jumpPercent', scope, limit: limits.jumpPercent ?? JUMP_PERCENT, used: null }),
        ]
      : []),
    ...plain('quoteAgeMs'),
    ...plain('feeBps'),
    ...pausesOf(context, { limits, scope, selection }),
    ...drawdownOfScope(context, { limits, scope, selection }),
    ...symbolsOf(positionIn, { limits, scope }),
    ...groupsOf(context, { limits, scope, selection }),
    ...(limits.turnoverPerDay === undefined ? [] : plain('turnoverPerDay', turnoverOf(context, selection))),
    ...(limits.debt === undefined ? [] : plain('debt', owedShares(context).value)),
  ];
}

/** Limits with one amount. */
type PlainLimit = Exclude<LimitName, 'groups' | 'lossStreak' | 'cooldown'>;

type Amount = bigint | number;
type Row = Readonly<{ name: string; scope: string; used: Amount | null; limit: Amount | undefined }>;

/** A limit whose amounts are not text yet. */
type LimitRow = Readonly<{
  name: string;
  scope: string;
  used: bigint | string | null;
  limit: bigint | string;
}>;

const figure = (amount: Amount): bigint | string => (typeof amount === 'number' ? String(amount) : amount);

function row({ name, scope, used, limit }: Row): LimitRow[] {
  if (limit === undefined) return [];
  return [{ name, scope, used: used === null ? null : figure(used), limit: figure(limit) }];
}

/** Values of positions, pending buys included, against the limit of one; a single row if there are none. */
function positionsOf(
  positions: readonly (readonly [Ticker, bigint])[],
  { limits, scope, selection }: OfScope,
): LimitRow[] {
  const limit = limits.positionNotional;
  if (limit === undefined) return [];
  const name = 'positionNotional';
  const held = positions.flatMap(([symbol, position]) => {
    const where = selection.strategyId === undefined ? symbol : `${symbol} of ${scope}`;
    return position === 0n ? [] : row({ name, scope: where, limit, used: position });
  });
  return held.length > 0 ? held : row({ name, scope, limit, used: 0n });
}

/** Buys in doubt that were asked to end, by stock, against the exempt amount. */
const doubtsOf = (context: EngineContext, { limits, scope, selection }: OfScope): LimitRow[] =>
  [...solicitedDoubt(context, selection)].flatMap(([symbol, { amount }]) => {
    const where = selection.strategyId === undefined ? symbol : `${symbol} of ${scope}`;
    return row({ name: 'doubt', scope: where, limit: doubtLimitOf(limits, symbol), used: amount });
  });

type OfScope = Readonly<{ limits: Limits; scope: string; selection: Readonly<{ strategyId?: string }> }>;

/** Consecutive losing exits, and the minutes of a pause for one stock. */
const pausesOf = (
  context: EngineContext,
  { limits: { lossStreak, cooldown }, scope, selection }: OfScope,
): LimitRow[] => [
  ...(lossStreak
    ? row({
        name: 'lossStreak.trades',
        scope,
        limit: lossStreak.trades,
        used: streakOf(context, lossStreak, selection).count,
      })
    : []),
  ...row({ name: 'cooldown.minutes', scope, limit: cooldown?.minutes, used: null }),
];

/** Drawdown from the peak, in the unit of the limit: percent with two decimals, or mUSD. */
function drawdownOfScope(
  context: EngineContext,
  { limits: { drawdown }, scope, selection }: OfScope,
): LimitRow[] {
  if (!drawdown) return [];
  const owner = selection.strategyId ?? UNALLOCATED;
  const equity = watchedEquity(context, owner);
  const peak = peakOf(context.accountState.peaks.of(owner), equity, drawdown);
  const fall = drawdownOf(drawdown, peak, equity);
  const isPercent = drawdown.percent !== undefined;
  const used = isPercent ? fall - (fall % PLACES) : fall;
  const name = `drawdown.${isPercent ? 'percent' : 'amount'}`;
  return row({ name, scope, limit: drawdownBound(drawdown), used });
}

/** Limits by stock, each named by its config path. */
const symbolsOf = (
  positionIn: (symbol: Ticker) => bigint,
  { limits, scope }: Pick<OfScope, 'limits' | 'scope'>,
): LimitRow[] =>
  Object.entries(limits.symbols ?? {}).flatMap(([symbol, { orderNotional, positionNotional }]) => {
    const position = positionIn(symbol as Ticker);
    const of = (name: string, limit: bigint | undefined, used: bigint | null) =>
      row({ name: `symbols.${symbol}.${name}`, scope, limit, used });
    return [
      ...of('orderNotional', orderNotional, null),
      ...of('positionNotional', positionNotional, position),
    ];
  });

const groupsOf = (context: EngineContext, { limits, scope, selection }: OfScope): LimitRow[] =>
  Object.entries(limits.groups ?? {}).flatMap(([name, group]) => {
    const used = groupExposure(context, group, selection);
    return row({ name: `groups.${name}.positionNotional`, scope, limit: group.positionNotional, used });
  });

/** Stocks held by the account or in an open order, and all stocks with a price. */
type Stocks = Readonly<{ named: readonly Ticker[]; priced: ReadonlySet<Ticker> }>;

function stocksOf({ accountState: { ledger, live }, market }: EngineContext): Stocks {
  const named = new Set(ledger.stocks);
  for (const { terms } of live.values()) named.add(terms.symbol);
  const priced = new Set<Ticker>();
  for (const symbol of [...named, ...market.instruments.keys()]) if (market.quote(symbol)) priced.add(symbol);
  return { named: [...named], priced };
}
