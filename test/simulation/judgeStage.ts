import { parseCash, type Cash } from '../../src/core/amount.ts';
import { epochMs } from '../../src/core/brand.ts';
import type { JournalEvent } from '../../src/domain/journalEvent.ts';
import type { Order } from '../../src/emulator/state/state.ts';
import { Judge } from './judge.ts';
import type { Plan } from './plan.ts';
import { noneYet } from './sometimes.ts';
import type { VenueSide } from './venueSide.ts';

type Terms = Readonly<{ symbol?: string; side?: string; type?: string; reserve?: Cash }>;

export const noOrders: readonly never[] = [];

/** Entry of an order that is planned, a limit buy of KO by strategy a unless said otherwise. */
export const planned = (
  id: string,
  { symbol = 'KO', side = 'buy', type = 'limit', reserve }: Terms = {},
): JournalEvent =>
  ({
    kind: 'planned',
    order: {
      id,
      intentId: id.split('.')[0],
      strategyId: 'a',
      reserve: reserve ?? parseCash('9000'),
      terms: { symbol, side, type },
    },
  }) as unknown as JournalEvent;

/** Entry of a step of an order. */
export const moved = (id: string, event: object): JournalEvent =>
  ({ kind: 'order', id, event }) as unknown as JournalEvent;

/** Entry of a send, marked by a nonce, or by the hash that the wallet computed. */
export const sent = (id: string, txHash?: string): JournalEvent =>
  ({
    kind: 'order',
    id,
    event: { kind: 'sent', ...(txHash === undefined ? {} : { txHash }) },
    request: txHash === undefined ? { body: '', nonce: `n-${id}` } : { txHash },
  }) as unknown as JournalEvent;

type OrderTerms = Readonly<{
  symbol?: string;
  word?: string;
  reserve?: Cash;
  minedAt?: number | null;
  settlement?: Order['settlement'];
}>;

/** A judge over a venue that does what a test says. */
export class JudgeStage {
  readonly #orders: Order[] = [];
  readonly #unknowable = new Set<string>();
  readonly #minedAt = new Map<string, number | null>();
  readonly venue = {
    machine: { state: { seed: 1, orders: this.#orders, shocks: [], balances: {}, corporateActions: [] } },
    txByMark: new Map<string, string>(),
    markByTx: new Map<string, string>(),
    foreign: new Set<string>(),
    lied: new Set<string>(),
    overdue: new Set<string>(),
    isUnknowable: (txHash: string) => this.#unknowable.has(txHash),
    isDeceived: () => false,
    minedAt: (hash: string) => this.#minedAt.get(hash) ?? null,
    orders: () => new Map(this.#orders.map((order) => [order.txHash, order])),
  };
  readonly judge: Judge;
  now = 0;

  constructor(capital = '50000') {
    const plan = {
      tight: false,
      lies: false,
      action: null,
      strategies: [{ id: 'a', capital: parseCash(capital) }],
    };
    this.judge = new Judge(this.venue as unknown as VenueSide, plan as unknown as Plan, noneYet());
  }

  /** Accusations so far, as promise and detail. */
  get found(): readonly string[] {
    return this.judge.violations.map(({ promise, detail }) => `${promise} ${detail}`);
  }

  commit(...facts: readonly JournalEvent[]): this {
    this.judge.committed(
      facts.map((fact) => ({ at: epochMs(this.now), fact })),
      epochMs(this.now),
    );
    return this;
  }

  /** The venue's order for a send of the journal. If not `isShown`, no read of the venue shows its real state. */
  atVenue(
    id: string,
    { symbol = 'KO', word = 'Filled', reserve, minedAt = 0, settlement = null }: OrderTerms = {},
    isShown = true,
  ): Order {
    const [mark, txHash] = [`n-${id}`, `0x-${id}`];
    this.venue.txByMark.set(mark, txHash);
    this.venue.markByTx.set(txHash, mark);
    if (!isShown) this.#unknowable.add(txHash);
    this.#minedAt.set(txHash, minedAt);
    const order = {
      txHash,
      symbol,
      word,
      minedAt: word === 'Failed' ? null : minedAt,
      settlement,
      side: 'buy',
      deadline: 90,
      reserve: reserve ?? parseCash('9000'),
      changes: [],
    };
    this.#orders.push(order as unknown as Order);
    return order as unknown as Order;
  }

  mined(): readonly string[] {
    this.judge.mined(epochMs(this.now));
    return this.found;
  }
}
