import { formatDecimal, stepOf } from '../../core/amount.ts';
import { fillBandOf } from '../../domain/orders/settlementRules.ts';
import type { BudgetUse } from '../../api/budget.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { Exposure, LimitName, Limits } from '../../domain/limits.ts';
import type { EngineContext } from '../../engine/state/engineContext.ts';
import { JUMP_PERCENT } from '../../engine/state/market.ts';
import { dayProfit, exposureOf } from '../../engine/state/exposure.ts';
import { drawdownBound, drawdownOf, peakOf, watchedEquity } from '../../engine/risk/drawdowns.ts';
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

/** Every configured limit of the run and of each strategy, with its present use in the same unit; null where an order alone decides. */
export function limitsOf(context: EngineContext, budget: BudgetUse | null): LimitView[] {
  const { limits, ownLimits } = context.rules;
  const present = (own: Limits) => (own.outside ? limitsNow(context, own) : own);
  const scopes: Scope[] = [
    { limits: present(limits) },
    ...[...ownLimits].map(([strategyId, own]) => ({ limits: present(own), strategyId })),
  ];
  const { used = 0, perMinute = Infinity } = budget ?? {};
  const limit = Number.isFinite(perMinute) ? perMinute : undefined;
  const requests = row({ name: 'requestsPerMinute', scope: 'everything', used, limit });
  return [...scopes.flatMap((scope) => limitsOfScope(context, scope)), ...requests];
}

type Scope = Readonly<{ limits: Limits; strategyId?: string }>;

function limitsOfScope(context: EngineContext, { limits, strategyId }: Scope): LimitView[] {
  const scope = strategyId === undefined ? 'everything' : `strategy ${strategyId}`;
  const whose = strategyId === undefined ? {} : { strategyId };
  const at = anyExposure(context, whose);
  const profit = dayProfit(context, strategyId);
  const plain = (name: PlainLimit, used: bigint | number | null = null) =>
    row({ name, scope, limit: limits[name], used });
  return [
    ...plain('orderNotional'),
    ...positionsOf(context, { limits, scope, whose }),
    ...doubtsOf(context, { limits, scope, whose }),
    ...plain('grossExposure', at?.gross),
    ...plain('ordersPerMinute', context.accountState.sends.lastMinute(context.now, strategyId)),
    ...plain('dayLoss', profit < 0n ? -profit : 0n),
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
    ...pausesOf(context, { limits, scope, whose }),
    ...drawdownOfScope(context, { limits, scope, whose }),
    ...symbolsOf(context, { limits, scope, whose }),
    ...groupsOf(context, { limits, scope, whose }),
    ...(limits.turnoverPerDay === undefined ? [] : plain('turnoverPerDay', turnoverOf(context, whose))),
    ...(limits.debt === undefined ? [] : plain('debt', owedShares(context).value)),
  ];
}

/** Limits with one amount. */
type PlainLimit = Exclude<LimitName, 'groups' | 'lossStreak' | 'cooldown'>;

type Amount = bigint | number;
type Row = Readonly<{ name: string; scope: string; used: Amount | null; limit: Amount | undefined }>;

const amountText = (amount: Amount): string =>
  typeof amount === 'bigint' ? formatDecimal(amount) : String(amount);

function row({ name, scope, used, limit }: Row): LimitView[] {
  if (limit === undefined) return [];
  return [{ name, scope, used: used === null ? null : amountText(used), limit: amountText(limit) }];
}

type Whose = Readonly<{ strategyId?: string }>;

/** Position in one stock, buys under way included; 0 while it has no price. */
const positionIn = (context: EngineContext, symbol: Ticker, whose: Whose): bigint =>
  context.market.quote(symbol) ? groupExposure(context, { symbols: [symbol] }, whose) : 0n;

/** Positions with a value, buys under way included, against the limit of one; a single row when there are none. */
function positionsOf(context: EngineContext, { limits, scope, whose }: OfScope): LimitView[] {
  const limit = limits.positionNotional;
  if (limit === undefined) return [];
  const name = 'positionNotional';
  const held = namedStocks(context).flatMap((symbol) => {
    const position = positionIn(context, symbol, whose);
    const where = whose.strategyId === undefined ? symbol : `${symbol} of ${scope}`;
    return position === 0n ? [] : row({ name, scope: where, limit, used: position });
  });
  return held.length > 0 ? held : row({ name, scope, limit, used: 0n });
}

/** Buys in doubt that were asked to end, by stock, against the amount that does not count. */
const doubtsOf = (context: EngineContext, { limits, scope, whose }: OfScope): LimitView[] =>
  [...solicitedDoubt(context, whose)].flatMap(([symbol, { amount }]) => {
    const where = whose.strategyId === undefined ? symbol : `${symbol} of ${scope}`;
    return row({ name: 'doubt', scope: where, limit: doubtLimitOf(limits, symbol), used: amount });
  });

type OfScope = Readonly<{ limits: Limits; scope: string; whose: Whose }>;

/** Losing exits in a row, and the minutes of a pause for one stock. */
const pausesOf = (
  context: EngineContext,
  { limits: { lossStreak, cooldown }, scope, whose }: OfScope,
): LimitView[] => [
  ...(lossStreak
    ? row({
        name: 'lossStreak.trades',
        scope,
        limit: lossStreak.trades,
        used: streakOf(context, lossStreak, whose).count,
      })
    : []),
  ...row({ name: 'cooldown.minutes', scope, limit: cooldown?.minutes, used: null }),
];

/** Fall from the peak, in the unit of the limit: percent with two places, or mUSD. */
function drawdownOfScope(
  context: EngineContext,
  { limits: { drawdown }, scope, whose }: OfScope,
): LimitView[] {
  if (!drawdown) return [];
  const owner = whose.strategyId ?? UNALLOCATED;
  const equity = watchedEquity(context, owner);
  const peak = peakOf(context.accountState.peaks.of(owner), equity, drawdown);
  const fall = drawdownOf(drawdown, peak, equity);
  const isPercent = drawdown.percent !== undefined;
  const used = isPercent ? fall - (fall % PLACES) : fall;
  const name = `drawdown.${isPercent ? 'percent' : 'amount'}`;
  return row({ name, scope, limit: drawdownBound(drawdown), used });
}

/** Limits by stock, each under its place in the config. */
const symbolsOf = (context: EngineContext, { limits, scope, whose }: OfScope): LimitView[] =>
  Object.entries(limits.symbols ?? {}).flatMap(([symbol, { orderNotional, positionNotional }]) => {
    const position = positionIn(context, symbol as Ticker, whose);
    const of = (name: string, limit: bigint | undefined, used: bigint | null) =>
      row({ name: `symbols.${symbol}.${name}`, scope, limit, used });
    return [
      ...of('orderNotional', orderNotional, null),
      ...of('positionNotional', positionNotional, position),
    ];
  });

const groupsOf = (context: EngineContext, { limits, scope, whose }: OfScope): LimitView[] =>
  Object.entries(limits.groups ?? {}).flatMap(([name, group]) => {
    const used = groupExposure(context, group, whose);
    return row({ name: `groups.${name}.positionNotional`, scope, limit: group.positionNotional, used });
  });

/** Exposure at any stock with a price: all but its position is of the whole account. Null while no price is known. */
function anyExposure(context: EngineContext, whose: Whose): Exposure | null {
  const priced = [...namedStocks(context), ...context.market.instruments.keys()].find(
    (symbol) => context.market.quote(symbol) !== undefined,
  );
  return priced === undefined ? null : exposureOf(context, { symbol: priced, ...whose });
}

/** Stocks on the account or in an open order. */
const namedStocks = (context: EngineContext): Ticker[] => [
  ...new Set([
    ...context.accountState.ledger.stocks,
    ...[...context.accountState.live.values()].map(({ terms }) => terms.symbol),
  ]),
];
