import {
  cash,
  formatDecimal,
  notionalOf,
  parseDecimal,
  price,
  roundTo,
  shares,
  type Cash,
  type Shares,
} from '../core/amount.ts';
import { InvalidValueError, InvariantError } from '../core/errors.ts';
import { ticker, type Ticker } from './instrument.ts';
import {
  DEBT,
  OUTSIDE,
  UNALLOCATED,
  VENUE,
  WALLET,
  type Bucket,
  type Ledger,
  type Owner,
  type Posting,
  freeOf,
  OWED,
} from './account/ledger.ts';
import type { OrderIntent } from './orders/orderIntent.ts';
import type { JournalEvent } from './journalEvent.ts';
import type { Positions } from './account/positions.ts';

/** `name`: the venue's word for it. `exDate`, `payableDate`: days of the exchange. */
type Announced = Readonly<{ symbol: Ticker; name: string; exDate: string }>;

/** So many shares become so many: a split either way, or a dividend in stock. Rates as wads. */
export type Split = Announced & Readonly<{ kind: 'split'; oldRate: bigint; newRate: bigint }>;
/** mUSD for each share: a dividend, or what a company that is split off is worth. */
export type Payment = Announced & Readonly<{ kind: 'payment'; payableDate: string | null; perShare: Cash }>;
export type CorporateAction = Split | Payment;

/** Effect of each kind, by the venue's word for it: on the number of shares, or on the cash of their holders. */
export const ACTION_KINDS: Readonly<Record<string, CorporateAction['kind']>> = {
  forward_split: 'split',
  reverse_split: 'split',
  cash_dividend: 'payment',
  spin_off: 'payment',
};

/** Corporate action as announced: a split has both rates, a payment `cashPerShare`. Amounts are decimals. */
export type Announcement = Readonly<{
  symbol: string;
  type: string;
  exDate?: string | null | undefined;
  payableDate?: string | null | undefined;
  oldRate?: string | null | undefined;
  newRate?: string | null | undefined;
  cashPerShare?: string | null | undefined;
}>;

type Rates = Pick<Split, 'oldRate' | 'newRate'>;

/** A forward split leaves more shares, a reverse one fewer: whoever says otherwise has swapped the two rates. */
export const fitsName = (name: string, { oldRate, newRate }: Rates): boolean =>
  name === 'forward_split' ? newRate > oldRate : newRate < oldRate;

/**
 * @throws {InvalidValueError} for an action of a kind that is not known, without what it changes, or a split whose rates say
 * the opposite of its name
 */
export function actionOf(announcement: Announcement): CorporateAction {
  const { type: name, exDate, payableDate = null, oldRate, newRate, cashPerShare } = announcement;
  const announced = { symbol: ticker(announcement.symbol), name, exDate: exDate ?? '' };
  if (!exDate) throw new InvalidValueError(`${name} of ${announcement.symbol} has no ex-date`);
  const positive = (text: string | null | undefined) => {
    const wad = parseDecimal(text ?? '0');
    if (wad > 0n) return wad;
    throw new InvalidValueError(`${name} of ${announcement.symbol} does not say what it changes`);
  };
  switch (ACTION_KINDS[name]) {
    case 'split':
      return asNamed({
        ...announced,
        kind: 'split',
        oldRate: positive(oldRate),
        newRate: positive(newRate),
      });
    case 'payment':
      return { ...announced, kind: 'payment', payableDate, perShare: cash(positive(cashPerShare)) };
    default:
      throw new InvalidValueError(`${name} of ${announcement.symbol} is of a kind that is not known`);
  }
}

function asNamed(split: Split): Split {
  if (fitsName(split.name, split)) return split;
  const name = split.name.replaceAll('_', ' ');
  throw new InvalidValueError(
    `${name} of ${split.symbol} on ${split.exDate}: ${ratioOf(split)} is no ${name}`,
  );
}

/** An action is known by all that it says: one that is corrected is another one. */
export function actionId(action: CorporateAction): string {
  const { symbol, exDate, name } = action;
  const terms = action.kind === 'split' ? ratioOf(action) : formatDecimal(action.perShare);
  return `${symbol} ${exDate} ${name} ${terms}`;
}

const ratioOf = ({ oldRate, newRate }: Split): string =>
  `${formatDecimal(oldRate)} for ${formatDecimal(newRate)}`;

export const describeAction = (action: CorporateAction): string =>
  `${action.name.replaceAll('_', ' ')} of ${action.symbol} on ${action.exDate}, ${
    action.kind === 'split' ? ratioOf(action) : `${formatDecimal(action.perShare)} a share`
  }`;

/** Rounds holdings down and debts up, at the eighteenth decimal. */
export function rescale(amount: bigint, { oldRate, newRate }: Rates): bigint {
  const product = amount * newRate;
  return amount < 0n ? -((-product + oldRate - 1n) / oldRate) : product / oldRate;
}

const OWN: readonly Bucket[] = ['free', 'reserved', 'owed'];

/**
 * Postings of a split. Each owner's part is rounded by itself; the rest of the account's total is unallocated, so
 * that the account has exactly the venue's total.
 */
function splitPostings(ledger: Ledger, split: Split): Posting[] {
  const { symbol: asset } = split;
  const change = (amount: bigint) => rescale(amount, split) - amount;
  const own = [...ledger.owners].flatMap((owner) =>
    OWN.map((bucket) => ({ owner, bucket, asset, amount: change(ledger.balance(owner, bucket, asset)) })),
  );
  const whole = change(ledger.total(asset));
  const [wallet, debt] = [change(ledger.at(WALLET, asset)), change(ledger.at(DEBT, asset))];
  const rest = whole - own.reduce((sum, { amount }) => sum + amount, 0n);
  return [
    ...own,
    { owner: UNALLOCATED, bucket: 'free', asset, amount: rest },
    { ...VENUE, asset, amount: -whole },
    { ...WALLET, asset, amount: wallet },
    { ...DEBT, asset, amount: debt },
    { ...OUTSIDE, asset, amount: -wallet - debt },
  ];
}

/** Owners of the shares that a payment is for, each with its part; the unallocated part may be negative. */
export type Entitlement = Readonly<{ action: Payment; parts: readonly (readonly [Owner, Cash])[] }>;

/** Payment for the shares at the venue and in the wallet, less the shares owed; null when there are none. */
export function entitlementOf(ledger: Ledger, action: Payment): Entitlement | null {
  const { symbol, perShare } = action;
  const paidFor = (quantity: bigint) => notionalOf(shares(quantity), price(perShare), 'down');
  const whole = paidFor(ledger.total(symbol) + ledger.at(WALLET, symbol) + ledger.at(DEBT, symbol));
  if (whole <= 0n) return null;
  const parts = [...ledger.owners]
    .filter((owner) => owner !== UNALLOCATED)
    .map((owner) => [owner, paidFor(ledger.held(owner, symbol))] as const)
    .filter(([, amount]) => amount > 0n);
  const rest = cash(whole - parts.reduce((sum, [, amount]) => sum + amount, 0n));
  return { action, parts: rest === 0n ? parts : [...parts, [UNALLOCATED, rest]] };
}

export const amountOf = ({ parts }: Entitlement): Cash =>
  cash(parts.reduce((sum, [, amount]) => sum + amount, 0n));

/** Terms of an intent after a split: the same part of the company, for the same money. */
type Rounding = Readonly<{
  /** Cuts a number of shares to what can be traded. */
  cut(quantity: bigint): bigint;
  tickOf(price: bigint): bigint;
  /** Shares that the intent has moved already. */
  filled: bigint;
}>;

export function rescaleWish(
  intent: OrderIntent,
  split: Split,
  { cut, tickOf, filled }: Rounding,
): OrderIntent {
  const { want } = intent;
  const cutShares = (quantity: bigint) => shares(cut(rescale(quantity, split)));
  switch (want.kind) {
    case 'buyShares':
      return { ...intent, want: { ...want, quantity: cutShares(want.quantity) } };
    case 'sell':
      if (want.quantity === 'all') return intent;
      return { ...intent, want: { ...want, quantity: cutShares(want.quantity) } };
    case 'limit': {
      const quantity = shares(rescale(filled, split) + cutShares(want.quantity - filled));
      const exact = rescalePrice(want.price, split);
      const at = price(roundTo(exact, tickOf(exact), want.side === 'buy' ? 'down' : 'up'));
      return { ...intent, want: { ...want, quantity, price: at } };
    }
    case 'target':
      if (!('quantity' in want.to)) return intent;
      return { ...intent, want: { ...want, to: { quantity: shares(rescale(want.to.quantity, split)) } } };
    case 'buy':
      return intent;
  }
}

export const rescalePrice = (amount: bigint, { oldRate, newRate }: Rates): bigint =>
  (amount * oldRate) / newRate;

/** Most payments that are searched: each more takes twice as long. */
const SEARCHED_MAX = 12;

/** Oldest due payments that together make up an amount; none when no choice of them does. */
export function makingUp<T extends { readonly due: Entitlement }>(
  owed: readonly T[],
  amount: bigint,
): readonly T[] {
  const all = owed.reduce((sum, { due }) => sum + amountOf(due), 0n);
  return all === amount ? owed : (choiceOf(owed.slice(0, SEARCHED_MAX), amount) ?? []);
}

function choiceOf<T extends { readonly due: Entitlement }>(owed: readonly T[], amount: bigint): T[] | null {
  const [first, ...rest] = owed;
  if (first === undefined) return amount === 0n ? [] : null;
  const others = choiceOf(rest, amount - amountOf(first.due));
  return others ? [first, ...others] : choiceOf(rest, amount);
}

export type ActionJournalEvent = Extract<
  JournalEvent,
  { kind: 'split' | 'entitled' | 'paid' | 'writtenOff' }
>;

export const isActionFact = (fact: JournalEvent): fact is ActionJournalEvent =>
  fact.kind === 'split' || fact.kind === 'entitled' || fact.kind === 'paid' || fact.kind === 'writtenOff';

type Parts = Readonly<{
  ledger: Ledger;
  positions: Positions;
  intents: Map<string, OrderIntent>;
  filledByWish: Map<string, Shares>;
}>;

/** The part of the books that splits, dividends and write-offs move. */
export class ActionBook {
  /** Booked actions by id: a payment from the day on which it becomes due. */
  readonly booked = new Set<string>();
  /** Payments that have not come yet, by the id of their action, oldest first. */
  readonly unpaid = new Map<string, Entitlement>();
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** @throws {InvariantError} when the fact contradicts what the books hold */
  apply(fact: ActionJournalEvent): void {
    switch (fact.kind) {
      case 'split':
        this.#begin(actionId(fact.action));
        return this.#split(fact.action, fact.wishes);
      case 'entitled':
        this.#begin(actionId(fact.action));
        this.unpaid.set(actionId(fact.action), { action: fact.action, parts: fact.parts });
        return;
      case 'paid':
        return this.#pay(fact.id);
      case 'writtenOff':
        return this.#writeOff(fact);
    }
  }

  #begin(id: string): void {
    if (this.booked.has(id)) throw new InvariantError(`${id} is booked a second time`);
    this.booked.add(id);
  }

  #split(split: Split, intents: readonly OrderIntent[]): void {
    const { ledger, positions, filledByWish } = this.#parts;
    ledger.post(actionId(split), splitPostings(ledger, split));
    for (const owner of ledger.owners)
      positions.split(owner, split.symbol, (quantity) => rescale(quantity, split));
    for (const intent of intents) {
      this.#parts.intents.set(intent.id, intent);
      const filled = filledByWish.get(intent.id);
      if (filled !== undefined) filledByWish.set(intent.id, shares(rescale(filled, split)));
    }
  }

  #writeOff({ owner, symbol, quantity }: Extract<JournalEvent, { kind: 'writtenOff' }>): void {
    const { ledger, positions } = this.#parts;
    ledger.move(`write-off of ${symbol}`, {
      asset: symbol,
      amount: quantity,
      from: freeOf(owner),
      to: VENUE,
    });
    positions.settle({ owner, symbol, side: 'sell', pay: quantity, receive: 0n });
  }

  /** Pays a due dividend to each owner. A negative unallocated part, for shares that deferred sells owe, is booked as owed where free cash does not cover it. */
  #pay(id: string): void {
    const { ledger, positions } = this.#parts;
    const due = this.unpaid.get(id);
    if (!due) throw new InvariantError(`nothing is owed for ${id}`);
    this.unpaid.delete(id);
    const asset = 'mUSD';
    const postings = due.parts.flatMap(([owner, amount]): Posting[] => {
      const free = owner === UNALLOCATED ? ledger.balance(owner, 'free', asset) : 0n;
      const owed = amount + free < 0n ? amount + free : 0n;
      return [
        { ...freeOf(owner), asset, amount: amount - owed },
        { ...OWED, asset, amount: owed },
        { ...VENUE, asset, amount: -amount },
      ];
    });
    ledger.post(id, postings);
    for (const [owner, amount] of due.parts)
      if (owner !== UNALLOCATED) positions.earn(owner, due.action.symbol, amount);
  }
}
