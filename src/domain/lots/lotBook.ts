import { cash, least, notionalOf, shares, type Cash } from '../../core/amount.ts';
import { countWhile } from '../../core/countWhile.ts';
import type { AccountChange, FlowTerms, TradeTerms } from '../account/accountChange.ts';
import { rescale } from '../corporateAction.ts';
import type { Ticker } from '../instrument.ts';
import type { ClosedLot, Lot, LotMethod, Lots, MovedLot } from './lot.ts';
import { lotChanges } from './lotChanges.ts';

/** A sell or write-off; `shares` and `proceeds` are the part still to be matched with lots. */
type Sale = Pick<ClosedLot, 'symbol' | 'strategyId' | 'how' | 'sold' | 'orderId' | 'shares' | 'proceeds'>;

/** Lots of one stock. */
type Shelf = {
  /** Open lots in the order in which sells take them, the next one last. */
  open: Lot[];
  /** Sells of more than was held, oldest first: the chain has undone a buy, and may settle it again. */
  uncovered: Sale[];
  /** Shares in the ledger. */
  held: bigint;
};

/**
 * Lots of an account, or of one strategy, from the changes of its history. Fees are in the basis of a buy and in the
 * proceeds of a sell; a split rescales shares and keeps the basis; dividing a lot loses nothing.
 */
export function lotsOf(
  changes: Iterable<AccountChange>,
  { method, strategyId }: Readonly<{ method: LotMethod; strategyId?: string | undefined }>,
): Lots {
  const book = new LotBook(method);
  for (const change of lotChanges(changes, strategyId)) book.apply(change);
  return book.lots();
}

class LotBook {
  readonly #method: LotMethod;
  readonly #shelves = new Map<Ticker, Shelf>();
  readonly #closed: ClosedLot[] = [];
  readonly #movedOut: MovedLot[] = [];

  constructor(method: LotMethod) {
    this.#method = method;
  }

  lots(): Lots {
    const shelves = [...this.#shelves.values()];
    const uncovered = shelves.flatMap((shelf) => shelf.uncovered).map((sale) => closedBy(sale, null));
    return {
      open: shelves.flatMap(({ open }) => open).sort((a, b) => a.acquired - b.acquired),
      closed: [...this.#closed, ...uncovered].sort((a, b) => a.sold - b.sold),
      movedOut: this.#movedOut,
    };
  }

  apply(change: AccountChange): void {
    const { symbol } = change;
    if (symbol === null) return;
    const shelf = this.#shelf(symbol);
    this.#book(change, symbol, shelf);
    shelf.held += change.shares;
  }

  #book(change: AccountChange, symbol: Ticker, shelf: Shelf): void {
    const { at, strategyId, shares: moved } = change;
    const lot = { symbol, strategyId, acquired: at, orderId: null, shares: moved };
    switch (change.kind) {
      case 'opened': {
        const basis = change.price === null ? null : notionalOf(moved, change.price, 'down');
        return this.#add(shelf, { ...lot, source: 'opening', basis });
      }
      case 'flow':
      case 'flowReturned':
        if (moved > 0n) this.#add(shelf, { ...lot, source: 'movedIn', basis: change.value });
        else this.#moveOut(shelf, change);
        return;
      case 'traded':
        return this.#trade(shelf, symbol, change);
      case 'paid':
        return this.#add(shelf, { ...lot, source: 'dividend', basis: change.amount });
      case 'split':
        return rescaleLots(shelf, change);
      case 'writtenOff': {
        const sale = { symbol, strategyId, sold: at, orderId: null, proceeds: cash(0n) };
        return this.#sell(shelf, { ...sale, how: 'writtenOff', shares: shares(-moved) });
      }
      default:
        return;
    }
  }

  #shelf(symbol: Ticker): Shelf {
    const known = this.#shelves.get(symbol);
    if (known) return known;
    const shelf: Shelf = { open: [], uncovered: [], held: 0n };
    this.#shelves.set(symbol, shelf);
    return shelf;
  }

  #trade(shelf: Shelf, symbol: Ticker, change: AccountChange & TradeTerms): void {
    const { at, strategyId, orderId, side, quantity, deferred } = change;
    if (side === 'buy') {
      const basis = cash(-change.cash);
      const lot = { symbol, strategyId, acquired: at, orderId, shares: quantity, basis };
      return this.#add(shelf, { ...lot, source: 'bought' });
    }
    const sale = { symbol, strategyId, sold: at, orderId, shares: quantity, proceeds: change.cash };
    if (deferred) this.#closed.push(closedBy({ ...sale, how: 'sold' }, null));
    else this.#sell(shelf, { ...sale, how: 'sold' });
  }

  /** Adds a lot. Earlier sells that found no lot take from it first. */
  #add(shelf: Shelf, lot: Lot): void {
    let rest = lot;
    for (let sale = shelf.uncovered[0]; sale !== undefined && rest.shares > 0n; sale = shelf.uncovered[0]) {
      const count = least(sale.shares, rest.shares);
      const [part, left] = partOf(rest, count);
      const [met, open] = partOfSale(sale, count);
      this.#closed.push(closedBy(met, part));
      if (open.shares === 0n) shelf.uncovered.shift();
      else shelf.uncovered[0] = open;
      rest = left;
    }
    if (rest.shares > 0n) shelf.open.splice(this.#placeOf(rest, shelf.open), 0, rest);
  }

  /** Index at which to insert a lot, so that the one the method takes next is last. */
  #placeOf(lot: Lot, open: readonly Lot[]): number {
    if (this.#method === 'fifo') return 0;
    if (this.#method === 'lifo') return open.length;
    return countWhile(open, (other) => isCheaper(other, lot));
  }

  #sell(shelf: Shelf, sale: Sale): void {
    let rest = sale;
    for (const lot of takeLots(shelf, sale.shares)) {
      const [met, left] = partOfSale(rest, lot.shares);
      this.#closed.push(closedBy(met, lot));
      rest = left;
    }
    if (rest.shares > 0n) shelf.uncovered.push(rest);
  }

  #moveOut(shelf: Shelf, { at, shares: moved, value }: AccountChange & FlowTerms): void {
    let [count, worth] = [-moved, -value];
    for (const lot of takeLots(shelf, shares(-moved))) {
      const part = lot.shares === count ? worth : (worth * lot.shares) / count;
      this.#movedOut.push({ ...lot, left: at, value: cash(part) });
      count -= lot.shares;
      worth -= part;
    }
  }
}

/** Takes lots for a number of shares, dividing one if needed; fewer if there are not enough. */
function takeLots({ open }: Pick<Shelf, 'open'>, quantity: bigint): readonly Lot[] {
  const taken: Lot[] = [];
  let sought = quantity;
  while (sought > 0n) {
    const lot = open.pop();
    if (!lot) break;
    const [part, rest] = partOf(lot, least(sought, lot.shares));
    if (rest.shares > 0n) open.push(rest);
    taken.push(part);
    sought -= part.shares;
  }
  return taken;
}

/** Part of a lot, and the rest. The last part takes all of the remaining basis. */
function partOf(lot: Lot, count: bigint): readonly [part: Lot, rest: Lot] {
  const { basis } = lot;
  const of = basis === null ? null : shareOf(basis, count, lot.shares);
  return [
    { ...lot, shares: shares(count), basis: of },
    {
      ...lot,
      shares: shares(lot.shares - count),
      basis: basis === null || of === null ? null : cash(basis - of),
    },
  ];
}

/** Part of a sell, and the rest. The last part takes all of the remaining proceeds. */
function partOfSale(sale: Sale, count: bigint): readonly [part: Sale, rest: Sale] {
  const proceeds = shareOf(sale.proceeds, count, sale.shares);
  return [
    { ...sale, shares: shares(count), proceeds },
    { ...sale, shares: shares(sale.shares - count), proceeds: cash(sale.proceeds - proceeds) },
  ];
}

/** Part of an amount for `count` of `all` shares, rounded down. */
const shareOf = (amount: Cash, count: bigint, all: bigint): Cash =>
  count === all ? amount : cash((amount * count) / all);

/** True when a lot costs less per share than another. An unknown cost counts as lowest. */
function isCheaper(a: Lot, b: Lot): boolean {
  if (b.basis === null) return false;
  return a.basis === null || a.basis * b.shares < b.basis * a.shares;
}

/** Closed lot of a sell and the equally large lot that it took; with null, the shares' origin is unknown. */
function closedBy(sale: Sale, lot: Lot | null): ClosedLot {
  const basis = lot?.basis ?? null;
  return {
    ...sale,
    acquired: lot?.acquired ?? null,
    source: lot?.source ?? 'wallet',
    basis,
    gain: basis === null ? null : cash(sale.proceeds - basis),
  };
}

/**
 * Rescales lots in a split so that their total is the ledger's, each exact up to the eighteenth decimal; if the ledger
 * has other shares than the lots, by the rates.
 */
function rescaleLots(
  shelf: Shelf,
  { action, shares: change }: Extract<AccountChange, { kind: 'split' }>,
): void {
  const before = shelf.open.reduce((sum, lot) => sum + lot.shares, 0n);
  if (before === 0n) return;
  const after = before === shelf.held ? before + change : rescale(before, action);
  let [seen, given] = [0n, 0n];
  shelf.open = shelf.open.map((lot) => {
    seen += lot.shares;
    const count = (seen * after) / before - given;
    given += count;
    return { ...lot, shares: shares(count) };
  });
}
