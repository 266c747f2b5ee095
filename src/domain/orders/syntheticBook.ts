import { cash, notionalOf, shares, type Price, type Shares } from '../../core/amount.ts';
import { InvariantError } from '../../core/errors.ts';
import type { QuotePhase, Ticker } from '../instrument.ts';
import type { JournalEventOf } from '../journalEvent.ts';
import type { Order } from './order.ts';
import type { OrderIntent } from './orderIntent.ts';
import type { Child, ChildEnd, SyntheticState } from './syntheticOrder.ts';
import { Triggers } from './triggers.ts';

export type SyntheticJournalEvent = JournalEventOf<'syntheticPlaced' | 'syntheticMoved' | 'syntheticEnded'>;

/** Open synthetic orders, with their children. */
export class SyntheticBook {
  /** Oldest first. */
  readonly live = new Map<string, SyntheticState>();
  private readonly ofSymbol = new Map<Ticker, Set<string>>();
  /** Ids of changed orders: the engine processes them and removes them here. */
  readonly changed = new Set<string>();
  /** Trigger prices by stock; those of a stock in `stale` are read again at their next use. */
  /** Phase of the triggers. */
  #phase: QuotePhase = 'regular';
  readonly #triggers = new Map<Ticker, Triggers>();
  private readonly stale = new Set<Ticker>();
  /** Synthetic order of each child of an open one. */
  private readonly parents = new Map<string, string>();

  /** Stores a state, replacing the previous one. */
  put(state: SyntheticState): void {
    const { id, symbol } = state.order;
    this.live.set(id, state);
    this.changed.add(id);
    this.stale.add(symbol);
    const own = this.ofSymbol.get(symbol);
    if (own) own.add(id);
    else this.ofSymbol.set(symbol, new Set([id]));
  }

  /** @throws {InvariantError} for an order that has ended or never existed */
  of(id: string): SyntheticState {
    const state = this.live.get(id);
    if (!state) throw new InvariantError(`the account state has no synthetic order ${id}`);
    return state;
  }

  /** Stocks of the open synthetic orders. */
  get symbols(): Iterable<Ticker> {
    return this.ofSymbol.keys();
  }

  /** Ids of a stock's open synthetic orders, oldest first. */
  inSymbol(symbol: Ticker): ReadonlySet<string> {
    return this.ofSymbol.get(symbol) ?? NONE;
  }

  /** Prices of a phase at which a stock's orders act; undefined without orders. The same object until the last one ends. */
  triggersOf(symbol: Ticker, phase: QuotePhase): Triggers | undefined {
    if (phase !== this.#phase) for (const each of this.ofSymbol.keys()) this.stale.add(each);
    this.#phase = phase;
    if (this.stale.delete(symbol)) this.#readTriggers(symbol);
    return this.#triggers.get(symbol);
  }

  #readTriggers(symbol: Ticker): void {
    const ids = this.ofSymbol.get(symbol);
    if (!ids) return void this.#triggers.delete(symbol);
    const triggers = this.#triggers.get(symbol) ?? new Triggers();
    this.#triggers.set(symbol, triggers);
    triggers.read(
      [...ids].map((id) => this.of(id)),
      this.#phase,
    );
  }

  /** True for a sell that locks shares which a triggered exit of its strategy needs: the exit may cancel it. */
  frees({ strategyId, terms: { symbol, side } }: Pick<Order, 'strategyId' | 'terms'>): boolean {
    if (side === 'buy') return false;
    const states = [...this.inSymbol(symbol)].map((id) => this.of(id));
    return states.some(({ order, trigger }) => trigger !== null && order.strategyId === strategyId);
  }

  /** Synthetic order of a child; undefined for any other intent, and once the order has ended. */
  parentOf(intentId: string): string | undefined {
    return this.parents.size === 0 ? undefined : this.parents.get(intentId);
  }

  /** Records a new child. */
  noteIntent({ id, parent, at }: OrderIntent): void {
    const state = parent && this.live.get(parent.id);
    if (!state) return;
    this.parents.set(id, parent.id);
    const child = { id, leg: parent.leg, createdAt: at, filled: shares(0n), notional: cash(0n), ended: null };
    this.live.set(parent.id, { ...state, children: [...state.children, child] });
  }

  /** Adds shares filled by a child's order at an average price; negative when a settlement is reversed. */
  noteFill(intentId: string, filled: Shares, price: Price): void {
    this.#change(intentId, (child) => ({
      ...child,
      filled: shares(child.filled + filled),
      notional: cash(child.notional + notionalOf(filled, price, 'down')),
    }));
  }

  noteEnd(intentId: string, end: ChildEnd): void {
    this.#change(intentId, (child) => ({ ...child, ended: end }));
  }

  #change(intentId: string, change: (child: Child) => Child): void {
    const parent = this.parentOf(intentId);
    const state = parent === undefined ? undefined : this.live.get(parent);
    if (!state) return;
    const children = state.children.map((child) => (child.id === intentId ? change(child) : child));
    this.live.set(state.order.id, { ...state, children });
    this.changed.add(state.order.id);
  }

  end(id: string): void {
    const { order, children } = this.of(id);
    this.live.delete(id);
    this.changed.delete(id);
    for (const child of children) this.parents.delete(child.id);
    const own = this.ofSymbol.get(order.symbol);
    own?.delete(id);
    this.stale.add(order.symbol);
    if (own?.size === 0) this.ofSymbol.delete(order.symbol);
  }
}

const NONE: ReadonlySet<string> = new Set();
