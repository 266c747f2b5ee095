import type { TradingCalendar } from '../../calendar/index.ts';
import { cash, formatDecimal, toNumber } from '../../core/amount.ts';
import { toIso, type EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { sharesSince, tradeLotsOf, withExcursions } from '../../statistics/lotTrades.ts';
import type { TradeLots } from '../../statistics/figures.ts';
import { metricsOf } from '../../statistics/metrics.ts';
import { lotRecord, savedMetrics, type RunRecord } from '../runRecord.ts';
import { heldBy, markOf, type AccountMark, type OwnerMark } from './accountMarks.ts';
import { candlesOf } from './candles.ts';
import { decisionRecords, orderRecords, pendingRecords } from './decisions.ts';
import { fillsOf, lotActionsOf, lotFillsOf } from './fills.ts';
import type { LiveHistory } from './liveHistory.ts';
import { ownerName } from '../../domain/account/ledger.ts';
import { isOf, type RecordOwner } from './owner.ts';
import { startOf, strategiesOf, totalsOf } from './totals.ts';
import { TradeBook } from './tradeBook.ts';
import { filledOf, hasEnded, type Order } from '../../domain/orders/order.ts';

/** Facts about a run that its journal does not contain. */
export type LiveIdentity = Readonly<{
  kind: Exclude<RunRecord['run']['kind'], 'backtest'>;
  /** Account to which the state folder belongs. */
  account: string;
  /** Parameters by strategy, if the config of the run was given. */
  params: ReadonlyMap<string, unknown>;
  calendar: TradingCalendar;
}>;

const MARKS_PER_YEAR = 252;

/** Maximum number of log lines in a record, as for a backtest. */
const LOGS_MAX = 5_000;

/** Record of a run from its journal, for the account or for strategies. Its sums are those of the account state. */
export function liveRecord(history: LiveHistory, identity: LiveIdentity, owner: RecordOwner): RunRecord {
  const trades = new TradeBook(history.steps).closed
    .filter(({ strategy }) => owner === null || owner.map(ownerName).includes(strategy))
    .map((trade) => ({ ...trade, pnl: toNumber(trade.pnl) }));
  const totals = totalsOf(history, owner, trades.length);
  const [marks, fills] = [marksOf(history, owner), fillsOf(history, owner)];
  const startEquity = toNumber(startOf(history, owner));
  const { orders } = totals;
  const closes = closesOf(history, owner);
  const lots = lotsOf(history, owner, { marks, closes });
  const measured = metricsOf(
    { startEquity, marks, trades, lots, fills, benchmark: null, orders, closes },
    { marksPerYear: MARKS_PER_YEAR },
  );
  return {
    format: 1,
    run: runOf(history, identity, { owner, totals, sessions: Math.min(marks.length, history.sessions) }),
    totals,
    metrics: savedMetrics(measured.metrics),
    notes: measured.notes,
    marks,
    benchmark: null,
    trades,
    ...lotRecord(lots, measured.tradeMetricsFrom),
    fills,
    decisions: decisionRecords(history, owner),
    orderList: orderRecords(history, owner),
    limitOrders: limitOrdersOf(history, owner),
    ...plotsOf(history, owner),
    ...stopsOf(history, owner),
    ...logsOf(history, owner),
    events: history.events
      .filter(({ strategyId }) => strategyId === null || isOf(owner, strategyId))
      .map(({ at, kind, text }) => ({ at, kind, text })),
    pending: pendingRecords(history, owner),
    candles: candlesOf(history, identity.calendar),
  };
}

function lotsOf(
  history: LiveHistory,
  owner: RecordOwner,
  prices: Parameters<typeof withExcursions>[1],
): TradeLots {
  const actions = lotActionsOf(history, owner);
  const { closed, open } = tradeLotsOf(lotFillsOf(history, owner), actions);
  return { closed: withExcursions(closed, prices, actions), open };
}

/** Marks of the account, from the first one at which an owner has capital. */
function marksFrom({ marks }: LiveHistory, owner: RecordOwner): readonly AccountMark[] {
  if (owner === null) return marks;
  const first = marks.findIndex((mark) => {
    const { capital = 0n, equity = 0n } = markOf(mark, owner) ?? {};
    return capital !== 0n || equity !== 0n;
  });
  return first < 0 ? [] : marks.slice(first);
}

/** Marks of an owner. A flow is the change of its capital. */
function marksOf(history: LiveHistory, owner: RecordOwner): RunRecord['marks'] {
  let before: bigint = startOf(history, owner);
  return marksFrom(history, owner).flatMap((mark) => {
    const own = markOf(mark, owner);
    if (!own) return [];
    let capital = before;
    const flowEquities = mark.flows.flatMap((moved) => {
      const after = markOf(moved, owner);
      const flow = after ? after.capital - capital : 0n;
      if (!after || flow === 0n) return [];
      capital = after.capital;
      return [{ before: toNumber(after.equity - flow), after: toNumber(after.equity) }];
    });
    const flow = own.capital - before;
    before = own.capital;
    const flowed = flow === 0n && flowEquities.length === 0 ? {} : { flow: toNumber(flow), flowEquities };
    const earned = earnedBy(mark, owner);
    return [{ date: mark.date, at: mark.at, ...moneyOf(own), ...(earned && { earned }), ...flowed }];
  });
}

const moneyOf = ({ equity, cash, positions }: OwnerMark) => ({
  equity: toNumber(equity),
  cash: toNumber(cash),
  positions: Object.fromEntries([...positions].map(([symbol, value]) => [symbol, toNumber(value)])),
});

/** Profit of each strategy of an owner since its start; null if there are fewer than two. */
function earnedBy({ strategies }: AccountMark, owner: RecordOwner): Record<string, number> | null {
  const own = [...strategies].filter(([id]) => isOf(owner, id));
  return own.length < 2
    ? null
    : Object.fromEntries(
        own.map(([id, { equity, capital }]) => [ownerName(id), toNumber(cash(equity - capital))]),
      );
}

/** Prices of each stock at the marks of an owner, in shares of the end; null before the first. */
function closesOf(history: LiveHistory, owner: RecordOwner): Record<string, (number | null)[]> {
  const actions = lotActionsOf(history, null);
  const pricesOf = (symbol: Ticker) =>
    marksFrom(history, owner).map(({ at, prices }) => {
      const price = prices.get(symbol);
      return price === undefined ? null : toNumber(price) / sharesSince(actions, symbol, at);
    });
  const { stocks } = history.valuation.accountState.ledger;
  return Object.fromEntries(stocks.map((symbol) => [symbol, pricesOf(symbol)]));
}

function logsOf({ logs }: LiveHistory, owner: RecordOwner): Pick<RunRecord, 'logs'> {
  const own = logs.filter(({ strategyId }) => isOf(owner, strategyId)).slice(0, LOGS_MAX);
  if (own.length === 0) return {};
  return {
    logs: own.map(({ at, strategyId: strategy, text, fields }) => ({
      at,
      strategy,
      text,
      ...(fields && { fields: { ...fields } }),
    })),
  };
}

function plotsOf({ plots }: LiveHistory, owner: RecordOwner): Pick<RunRecord, 'plots'> {
  const own = plots.records.filter(({ strategy }) => isOf(owner, strategy));
  return own.length === 0 ? {} : { plots: own };
}

function stopsOf({ stops }: LiveHistory, owner: RecordOwner): Pick<RunRecord, 'stops'> {
  const own = stops.records.filter(({ strategy }) => isOf(owner, strategy));
  return own.length === 0 ? {} : { stops: own };
}

type RecordScope = Readonly<{ owner: RecordOwner; totals: RunRecord['totals']; sessions: number }>;

function runOf(
  history: LiveHistory,
  { kind, account, params }: LiveIdentity,
  { owner, totals, sessions }: RecordScope,
): RunRecord['run'] {
  const { valuation, now, steps } = history;
  const ids = strategiesOf(history, owner);
  const end = now?.at ?? (0 as EpochMs);
  const [from, to] = [toIso(valuation.accountState.opened?.at ?? end), toIso(end)];
  return {
    kind,
    strategy: ids.join(', ') || 'no strategy',
    params: paramsOf(ids, params),
    symbols: symbolsOf(history, owner),
    from,
    to,
    runId: hashHex(JSON.stringify([account, from, to, owner, totals])).slice(2, 34),
    bars: steps.filter((step) => step.kind === 'bar').length,
    sessions,
    seed: 0,
    marksPerYear: MARKS_PER_YEAR,
    settings: { account, of: owner?.join(', ') ?? 'account', riskFree: '0', ...capitalsOf(history, ids) },
  };
}

/** Parameters of one strategy, or a list for several; absent if the config was not given. */
function paramsOf(ids: readonly string[], params: LiveIdentity['params']): unknown {
  const given = ids.map((id) => params.get(id) ?? {});
  return params.size === 0 ? {} : given.length === 1 ? given[0] : given;
}

const capitalsOf = ({ valuation }: LiveHistory, ids: readonly string[]): Record<string, string> =>
  Object.fromEntries(
    ids.map((id) => [`capital ${id}`, formatDecimal(valuation.accountState.allocations.get(id) ?? 0n)]),
  );

/** Stocks that were ordered, are held, or have a plot over their candles. */
function symbolsOf(history: LiveHistory, owner: RecordOwner): string[] {
  const { accountState } = history.valuation;
  const { orders, ledger } = accountState;
  const ordered = [...orders.values()].filter(({ strategyId }) => isOf(owner, strategyId));
  const held = ledger.stocks.filter((symbol) => heldBy(owner, ledger, symbol) !== 0n);
  const plotted = (plotsOf(history, owner).plots ?? []).flatMap(({ symbol }) => symbol ?? []);
  return [...new Set<string>([...ordered.map(({ terms }) => terms.symbol), ...held, ...plotted])];
}

type LimitOrder = NonNullable<RunRecord['limitOrders']>[number];

/** Limit orders of an owner that the venue reported as open. One still resting lasts to the end of the journal. */
const limitOrdersOf = (
  { rested, valuation: { accountState }, now }: LiveHistory,
  owner: RecordOwner,
): LimitOrder[] =>
  [...rested].flatMap(([id, from]) => {
    const order = accountState.orders.get(id);
    if (!order || !isOf(owner, order.strategyId)) return [];
    const until = accountState.ended.get(id)?.at ?? now?.at ?? from;
    return limitOrder(order, { from, until });
  });

function limitOrder(order: Order, times: Pick<LimitOrder, 'from' | 'until'>): LimitOrder[] {
  const { id, strategyId, terms, state } = order;
  if (terms.type !== 'limit') return [];
  return [
    {
      ...times,
      strategy: ownerName(strategyId),
      symbol: terms.symbol,
      side: terms.side,
      order: id,
      shares: toNumber(terms.quantity),
      limit: toNumber(terms.price),
      filled: toNumber(filledOf(order)),
      how: state.kind === 'closed' ? state.how : hasEnded(order) ? state.kind : 'open',
    },
  ];
}
