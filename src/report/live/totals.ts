import { cash, formatDecimal, type Cash } from '../../core/amount.ts';
import { withoutAmounts } from '../../core/withoutAmounts.ts';
import type { TradeTerms } from '../../domain/account/accountChange.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { countOrders } from '../../engine/runtime/summary.ts';
import { earningsOf, feesOf, unpricedStocks, unrealisedOf } from '../../engine/state/exposure.ts';
import type { RunRecord } from '../runRecord.ts';
import { heldBy, markOf } from './accountMarks.ts';
import type { LiveHistory } from './liveHistory.ts';
import { ownerName } from '../../domain/account/ledger.ts';
import { isOf, type RecordOwner } from './owner.ts';

type Totals = RunRecord['totals'];

const sumOf = (amounts: Iterable<bigint>): Cash => {
  let sum = 0n;
  for (const amount of amounts) sum += amount;
  return cash(sum);
};

/** Totals of a record, to the last digit those of the account state. @param trades number of closed round trips */
export function totalsOf(history: LiveHistory, owner: RecordOwner, trades: number): Totals {
  const { valuation, changes } = history;
  const { start, end, flows, pnl } = moneyOf(history, owner);
  const ids = strategiesOf(history, owner);
  const earned = sumOf(ids.map((id) => earningsOf(valuation, id).pnl));
  const own = changes.filter(({ strategyId }) => isOf(owner, strategyId));
  const unpriced = unpricedStocks(valuation);
  return {
    trades,
    ...orderCounts(history, owner),
    pnl: formatDecimal(pnl),
    fees: formatDecimal(feesOf(ordersOf(history, owner))),
    dividends: formatDecimal(sumOf(own.map((change) => (change.kind === 'paid' ? change.amount : 0n)))),
    receivable: formatDecimal(receivableOf(valuation, owner)),
    writtenOff: formatDecimal(sumOf(own.map((change) => (change.kind === 'writtenOff' ? change.value : 0n)))),
    equity: { start: formatDecimal(start), end: formatDecimal(end) },
    open: openOf(history, owner),
    strategies: ids.map((id) => strategyTotals(history, id)),
    ...(owner === null && { unallocated: { pnl: formatDecimal(cash(pnl - earned)) } }),
    symbols: symbolTotals(history, owner),
    flows: formatDecimal(flows),
    ...(unpriced.length > 0 && { unpriced }),
  };
}

/** Dividends that an owner has earned but not received. */
const receivableOf = ({ accountState: { actions } }: LiveHistory['valuation'], owner: RecordOwner): Cash =>
  owner === null ? cash(actions.receivables) : sumOf(owner.map((id) => actions.receivable(id)));

/** Strategies of a record: those that have had capital; none for manual orders. */
export const strategiesOf = ({ valuation }: LiveHistory, owner: RecordOwner): string[] =>
  [...valuation.accountState.allocations.keys()].filter((id) => isOf(owner, id));

/** Owner by name: `account`, `strategies` for all together, or the id of one; undefined for an unknown strategy. */
export function ownerNamed(history: LiveHistory, name: string): RecordOwner | undefined {
  if (name === 'account') return null;
  const known = strategiesOf(history, null);
  const wanted = name === 'strategies' ? known : known.filter((id) => id === name);
  return wanted.length > 0 ? wanted : undefined;
}

const ordersOf = ({ valuation: { accountState } }: LiveHistory, owner: RecordOwner) =>
  [...accountState.orders.values()].filter(({ strategyId }) => isOf(owner, strategyId));

type Money = Readonly<{ start: Cash; end: Cash; flows: Cash; pnl: Cash }>;

/** Equity of an owner at the start and now, its net inflows, and the rest as its profit. */
export function moneyOf(history: LiveHistory, owner: RecordOwner): Money {
  const { now } = history;
  const own = now && markOf(now, owner);
  const start = startOf(history, owner);
  if (!own) return { start, end: start, flows: cash(0n), pnl: cash(0n) };
  const { equity: end, capital } = own;
  return { start, end, flows: cash(capital - start), pnl: cash(end - capital) };
}

/** Equity at the opening of the account, or initial capital of strategies; a start after session one is a flow. */
export function startOf({ valuation, changes, marks }: LiveHistory, owner: RecordOwner): Cash {
  if (owner === null) return valuation.accountState.opened?.equity ?? cash(0n);
  const firsts = owner.flatMap((id) => {
    const first = changes.find((change) => change.kind === 'allocated' && change.strategyId === id);
    return first ? [first] : [];
  });
  const begun = Math.max(Math.min(...firsts.map(({ at }) => at)), marks[0]?.at ?? 0);
  return sumOf(firsts.map(({ at, cash: capital }) => (at <= begun ? capital : 0n)));
}

function openOf({ valuation: { accountState } }: LiveHistory, owner: RecordOwner): Totals['open'] {
  const { ledger } = accountState;
  return accountState.ledger.stocks.flatMap((symbol) => {
    const quantity = heldBy(owner, ledger, symbol);
    return quantity === 0n ? [] : [{ symbol, quantity: formatDecimal(quantity) }];
  });
}

type Counts = Readonly<{ orders: Totals['orders']; dropped: Record<string, number> }>;

function orderCounts(history: LiveHistory, owner: RecordOwner): Counts {
  const decisions = [...history.decisions.values()].filter(({ intent }) => isOf(owner, intent.strategyId));
  const refused = history.refused.filter(({ strategyId }) => isOf(owner, strategyId));
  const dropped = [
    ...decisions.flatMap(({ end }) => (end?.how === 'dropped' ? [end.why] : [])),
    ...refused.map(({ why }) => why),
  ];
  const pending = decisions.filter(({ end }) => !end).length;
  return {
    orders: { ...countOrders(ordersOf(history, owner)), dropped: dropped.length, pending },
    dropped: countTexts(dropped),
  };
}

function countTexts(texts: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const text of texts) {
    const reason = withoutAmounts(text);
    counts[reason] = (counts[reason] ?? 0) + 1;
  }
  return counts;
}

function strategyTotals(history: LiveHistory, id: string): NonNullable<Totals['strategies']>[number] {
  const { realised, unrealised, pnl } = earningsOf(history.valuation, id);
  return {
    id: ownerName(id),
    ...orderCounts(history, [id]),
    realisedPnl: formatDecimal(realised),
    unrealisedPnl: formatDecimal(unrealised),
    pnl: formatDecimal(pnl),
    fees: formatDecimal(feesOf(ordersOf(history, [id]))),
  };
}

/** Earnings by stock; they add up to those of the strategies. */
function symbolTotals(history: LiveHistory, owner: RecordOwner): NonNullable<Totals['symbols']> {
  const { valuation, changes } = history;
  const { accountState, market } = valuation;
  const ids = strategiesOf(history, owner);
  const trades = changes.flatMap((change) =>
    change.kind === 'traded' && ids.includes(change.strategyId) ? [change] : [],
  );
  const earnedIn = (symbol: Ticker) => {
    const positions = ids.map((id) => accountState.positions.of(id, symbol));
    const due = ids.map((id) => accountState.actions.receivableOf(id, symbol));
    const realised = sumOf([...positions.map((position) => position.realised), ...due]);
    const unrealised = sumOf(positions.map((position) => unrealisedOf(position, market.price(symbol)) ?? 0n));
    return { realised, unrealised };
  };
  return accountState.ledger.stocks.flatMap((symbol) => {
    const own = trades.filter((trade) => trade.symbol === symbol);
    const { realised, unrealised } = earnedIn(symbol);
    if (own.length === 0 && realised === 0n && unrealised === 0n) return [];
    return [
      {
        symbol,
        fills: own.length,
        realisedPnl: formatDecimal(realised),
        unrealisedPnl: formatDecimal(unrealised),
        pnl: formatDecimal(cash(realised + unrealised)),
        fees: formatDecimal(sumOf(own.map(({ mintFee, protocolFee }: TradeTerms) => mintFee + protocolFee))),
      },
    ];
  });
}
