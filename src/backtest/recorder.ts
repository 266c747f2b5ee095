import type { Session } from '../calendar/index.ts';
import { toNumber } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import type { Entry } from '../domain/fact.ts';
import { UNALLOCATED, type Asset, type Ledger } from '../domain/ledger.ts';
import type { Desk } from '../engine/desk.ts';
import type { Decisions } from './decisions.ts';

/** Where the account stands at a session's close, in mUSD. */
export type Mark = Readonly<{
  date: string;
  at: EpochMs;
  /** Cash and shares at the latest prices. */
  equity: number;
  cash: number;
  /** What the shares are worth, by symbol; those not held are left out. */
  positions: Readonly<Record<string, number>>;
}>;

/** How orders ended. `planned` and `sent` count all that ever were; `dropped` are wishes that became none. */
export type BacktestOrders = Record<
  | 'planned'
  | 'sent'
  | 'filled'
  | 'partlyFilled'
  | 'cancelled'
  | 'expired'
  | 'rejected'
  | 'abandoned'
  | 'dropped',
  number
>;

/** Why a wish was dropped is told with its amounts, and counted without them. */
const AMOUNTS = /\d[\d.,:-]*/g;

/** Shares of the strategies: what a split leaves over where it rounds is nobody's, and nobody can sell it. */
export const heldOf = (ledger: Ledger, asset: Asset): bigint =>
  ledger.total(asset) - ledger.held(UNALLOCATED, asset);

/** Keeps of a run what its result tells. */
export class Recorder {
  readonly marks: Mark[] = [];
  readonly orders: BacktestOrders = {
    planned: 0,
    sent: 0,
    filled: 0,
    partlyFilled: 0,
    cancelled: 0,
    expired: 0,
    rejected: 0,
    abandoned: 0,
    dropped: 0,
  };
  /** How many wishes were dropped by why, amounts left out. */
  readonly dropped: Record<string, number> = {};
  readonly #desk: Desk;
  readonly #priceOf: (symbol: string) => number;
  readonly #decisions: Decisions;

  constructor(desk: Desk, priceOf: (symbol: string) => number, decisions: Decisions) {
    this.#desk = desk;
    this.#priceOf = priceOf;
    this.#decisions = decisions;
  }

  /** Counts what a turn brought. */
  take(facts: readonly Entry[]): void {
    for (const entry of facts) {
      const { fact } = entry;
      this.#decisions.take(entry);
      if (fact.kind === 'planned') this.orders.planned++;
      if (fact.kind === 'wishEnded' && fact.how === 'dropped') this.#drop(fact.why);
      if (fact.kind !== 'order') continue;
      const { event } = fact;
      if (event.kind === 'sent') this.orders.sent++;
      if (event.kind === 'abandoned') this.orders.abandoned++;
      if (event.kind === 'reported') this.#count(event.report);
    }
  }

  #drop(why: string): void {
    this.orders.dropped++;
    const reason = why.replace(AMOUNTS, '…');
    this.dropped[reason] = (this.dropped[reason] ?? 0) + 1;
  }

  #count({ status, settlement }: Readonly<{ status: string; settlement: unknown }>): void {
    if (status !== 'filled' && status !== 'cancelled' && status !== 'expired' && status !== 'rejected')
      return;
    this.orders[status]++;
    if (status !== 'filled' && settlement !== null) this.orders.partlyFilled++;
  }

  /** The account at the close of a session. */
  mark({ date, close }: Session): void {
    const { ledger } = this.#desk.books;
    const positions: Record<string, number> = {};
    const cash = toNumber(ledger.total('mUSD'));
    let equity = cash;
    for (const asset of ledger.assets) {
      const held = asset === 'mUSD' ? 0n : heldOf(ledger, asset);
      if (held === 0n) continue;
      const worth = toNumber(held) * this.#priceOf(asset);
      positions[asset] = worth;
      equity += worth;
    }
    this.marks.push({ date, at: close, equity, cash, positions });
  }
}
