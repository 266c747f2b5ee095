import { cash, notionalOf, parseCash, parsePrice, parseShares, shares, WAD } from '../../src/core/amount.ts';
import { epochMs, epochSeconds, type EpochMs } from '../../src/core/brand.ts';
import { newYorkTime } from '../../src/calendar/zone.ts';
import { entitlementOf } from '../../src/domain/account/actionBook.ts';
import { AccountState } from '../../src/domain/account/accountState.ts';
import { UNALLOCATED } from '../../src/domain/account/ledger.ts';
import { actionId, type DividendRules, type Payment, type Split } from '../../src/domain/corporateAction.ts';
import type { JournalEntry, JournalEvent } from '../../src/domain/journalEvent.ts';
import type { Order, OrderId } from '../../src/domain/orders/order.ts';
import type { Ticker } from '../../src/domain/instrument.ts';
import type { Transfer, TransferId } from '../../src/domain/transfers/transfer.ts';
import type { OrderReport, OrderTerms } from '../../src/domain/venue.ts';
import { AAPL, STOCK } from './orders.ts';
import { termsOf } from './operations.ts';

export type TradeOf = Readonly<{
  side: 'buy' | 'sell';
  quantity: string;
  price: string;
  fee?: string;
  symbol?: Ticker;
  strategyId?: string;
  deferred?: true;
  tag?: string;
}>;

/** Journal of an account, written event by event; each event is applied, so that an impossible one throws. */
export class AccountJournal {
  readonly entries: JournalEntry[] = [];
  readonly state = new AccountState();
  /** Time of the next event. */
  at: EpochMs;
  #orders = 0;

  constructor(date = '2026-01-05') {
    this.at = newYorkTime(date, '10:00');
  }

  /** Sets the time of the next events, in New York. */
  on(date: string, time = '10:00'): this {
    this.at = newYorkTime(date, time);
    return this;
  }

  add(...facts: readonly JournalEvent[]): this {
    for (const fact of facts) {
      this.state.apply({ at: this.at, fact });
      this.entries.push({ at: this.at, fact });
    }
    return this;
  }

  open(
    cashText: string,
    holdings: readonly (readonly [Ticker, quantity: string, price: string])[] = [],
  ): this {
    const worth = holdings.map(([, quantity, price]) =>
      notionalOf(parseShares(quantity), parsePrice(price), 'down'),
    );
    return this.add({
      kind: 'opened',
      cash: parseCash(cashText),
      holdings: holdings.map(([symbol, quantity]) => [symbol, parseShares(quantity)]),
      equity: cash(worth.reduce<bigint>((sum, value) => sum + value, parseCash(cashText))),
      prices: holdings.map(([symbol, , price]) => [symbol, parsePrice(price)]),
    });
  }

  allocate(amount: string, strategyId = 'alpha'): this {
    return this.add({ kind: 'allocated', strategyId, amount: parseCash(amount, { signed: true }) });
  }

  /** An order from its plan to its settlement. Fees are those of the venue: mint fee of a buy, protocol fee of a sell. */
  trade(trade: TradeOf): OrderId {
    const { order, report } = this.#orderOf(trade);
    this.#place(order);
    this.#of(order.id, { kind: 'reported', report });
    return order.id;
  }

  /** A limit order that is open at the venue; the result settles it. */
  rest(trade: TradeOf): Readonly<{
    id: OrderId;
    fill: () => AccountJournal;
    end: (how: 'cancelled' | 'expired') => AccountJournal;
  }> {
    const { order, report } = this.#orderOf(trade);
    const { id } = order;
    this.#place(order);
    const open = { ...openReport(id), createdAt: this.at };
    this.#of(id, { kind: 'reported', report: open });
    return {
      id,
      fill: () => this.#of(id, { kind: 'reported', report }),
      end: (how) => this.#of(id, { kind: 'reported', report: { ...open, status: how, rawStatus: how } }),
    };
  }

  /** Undoes the settlement of an order on chain, which is open again. */
  reopen(id: OrderId): this {
    return this.#of(id, { kind: 'reopened', report: { ...openReport(id), createdAt: this.at } });
  }

  /** Settles an order again that is open again. */
  settleAgain(id: OrderId, trade: TradeOf): this {
    return this.#of(id, { kind: 'reported', report: { ...this.#orderOf(trade).report, txHash: `0x${id}` } });
  }

  split(oldRate: bigint, newRate: bigint, symbol = AAPL): this {
    const name = newRate > oldRate ? 'forward_split' : 'reverse_split';
    const rates = { oldRate: oldRate * 10n ** 18n, newRate: newRate * 10n ** 18n };
    const action: Split = { kind: 'split', symbol, name, exDate: this.#date(), ...rates };
    return this.add({ kind: 'split', action, intents: [] });
  }

  /** Entitles to a dividend; returns the id by which it is paid. */
  entitle(perShare: string, payableDate: string, rules?: DividendRules): string {
    const action: Payment = {
      kind: 'payment',
      name: 'cash_dividend',
      symbol: AAPL,
      exDate: this.#date(),
      payableDate,
      perShare: parseCash(perShare),
    };
    const due = entitlementOf(this.state.ledger, action, rules);
    if (due) this.add({ kind: 'entitled', ...due });
    return actionId(action);
  }

  pay(id: string): this {
    return this.add({ kind: 'paid', id });
  }

  /** Pays a dividend of `alpha` in shares. */
  payInTokens(id: string, quantity: string, price: string): this {
    const parts = [['alpha', parseShares(quantity)] as const];
    return this.add({ kind: 'paidInTokens', id, price: parsePrice(price), parts });
  }

  /** Accepts shares of a strategy from the venue, or writes them off, at their value. */
  accept(count: number, price: number, strategyId = 'alpha'): this {
    const [amount, value] = [shares(BigInt(count) * WAD), cash(BigInt(count * price) * WAD)];
    const accepted = { side: 'venue', asset: AAPL, strategyId, amount, value } as const;
    return this.add({ kind: 'balanceAccepted', ...accepted, reason: 'test' });
  }

  /** Plans and sends a transfer; `end` is its outcome. */
  transfer(
    kind: 'cashDeposit' | 'cashWithdrawal' | 'stockDeposit' | 'stockWithdrawal' | 'repay',
    { amount, value = amount, strategyId = UNALLOCATED, end = 'shown' }: TransferOf,
  ): this {
    const id = `op-${this.state.transfers.all.size + 1}` as TransferId;
    const transfer: Transfer = {
      id,
      terms: termsOf(kind, parseCash(amount)),
      strategyId,
      cause: 'test',
      value: parseCash(value),
      plannedAt: this.at,
      state: { kind: 'planned' },
    };
    this.add({ kind: 'transferPlanned', transfer });
    this.add({ kind: 'transfer', id, event: { kind: 'sent', at: this.at } });
    return this.add(
      end === 'shown'
        ? { kind: 'transfer', id, event: { kind: 'shown' } }
        : { kind: 'transfer', id, event: { kind: 'refused', reason: 'no' } },
    );
  }

  #date(): string {
    return new Date(this.at).toISOString().slice(0, 10);
  }

  #place(order: Order): void {
    this.add({ kind: 'planned', order });
    this.#of(order.id, {
      kind: 'sent',
      at: this.at,
      deadline: epochSeconds(Math.floor(this.at / 1_000) + 90),
    });
    this.#of(order.id, { kind: 'accepted', txHash: openReport(order.id).txHash });
  }

  #of(id: OrderId, event: Extract<JournalEvent, { kind: 'order' }>['event']): this {
    return this.add({ kind: 'order', id, event });
  }

  #orderOf(trade: TradeOf): Readonly<{ order: Order; report: OrderReport }> {
    const { side, symbol = AAPL, strategyId = 'alpha', deferred, tag } = trade;
    const [quantity, price, fee] = [
      parseShares(trade.quantity),
      parsePrice(trade.price),
      parseCash(trade.fee ?? '0'),
    ];
    const notional = notionalOf(quantity, price, 'down');
    const terms: OrderTerms = {
      symbol,
      stock: STOCK,
      type: 'limit',
      side,
      quantity,
      price,
      ...(deferred && { funding: { kind: 'deferred' } }),
    };
    const id = `w${++this.#orders}.1` as OrderId;
    const [pay, receive] = side === 'buy' ? [notional + fee, quantity] : [quantity, notional - fee];
    const order: Order = {
      id,
      intentId: `w${this.#orders}`,
      strategyId,
      terms,
      reserve: deferred ? 0n : pay,
      reason: 'test',
      ...(tag !== undefined && { tag }),
      plannedAt: this.at,
      state: { kind: 'planned' },
      cancel: { kind: 'none' },
    };
    const [mintFee, protocolFee] = side === 'buy' ? [fee, cash(0n)] : [cash(0n), fee];
    const settlement = { price, pay, receive, mintFee, protocolFee, txHash: `0xs${id}` };
    return {
      order,
      report: { ...openReport(id), createdAt: this.at, status: 'filled', rawStatus: 'Filled', settlement },
    };
  }
}

type TransferOf = Readonly<{
  amount: string;
  value?: string;
  strategyId?: string;
  end?: 'shown' | 'refused';
}>;

const openReport = (id: OrderId): OrderReport => ({
  txHash: `0x${id}`,
  orderId: `0xv${id}`,
  status: 'open',
  rawStatus: 'New',
  createdAt: epochMs(0),
  terms: null,
  locked: null,
  settlement: null,
});
