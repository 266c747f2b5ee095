import type { EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import { cash, notionalOf, shares, type Cash } from '../../core/amount.ts';
import { InvariantError } from '../../core/errors.ts';
import {
  actionId,
  CASH_DIVIDENDS,
  netOf,
  paymentFor,
  rescale,
  wayOf,
  type DividendRules,
  type Payment,
  type Split,
  type Entitlement,
  type TokenPayment,
} from '../corporateAction.ts';
import type { JournalEventOf } from '../journalEvent.ts';
import { isNearly } from './dust.ts';
import type { IntentFills } from '../orders/intentFills.ts';
import type { OrderIntent } from '../orders/orderIntent.ts';
import type { SyntheticBook } from '../orders/syntheticBook.ts';
import {
  DEBT,
  freeOf,
  OUTSIDE,
  OWED,
  UNALLOCATED,
  VENUE,
  WALLET,
  type Bucket,
  type Ledger,
  type StrategyId,
  type Posting,
} from './ledger.ts';
import type { Positions } from './positions.ts';

const OWN: readonly Bucket[] = ['free', 'reserved', 'owed'];

/**
 * Postings of a split. Each owner's part is rounded separately; the remainder of the account's total is unallocated, so
 * that the account has exactly the venue's total.
 */
function splitPostings(ledger: Ledger, split: Split): Posting[] {
  const { symbol: asset } = split;
  const change = (amount: bigint) => rescale(amount, split) - amount;
  const own = [...ledger.strategyIds].flatMap((strategyId) =>
    OWN.map((bucket) => ({
      strategyId,
      bucket,
      asset,
      amount: change(ledger.balance(strategyId, bucket, asset)),
    })),
  );
  const whole = change(ledger.total(asset));
  const [wallet, debt] = [change(ledger.at(WALLET, asset)), change(ledger.at(DEBT, asset))];
  const rest = whole - own.reduce((sum, { amount }) => sum + amount, 0n);
  return [
    ...own,
    { strategyId: UNALLOCATED, bucket: 'free', asset, amount: rest },
    { ...VENUE, asset, amount: -whole },
    { ...WALLET, asset, amount: wallet },
    { ...DEBT, asset, amount: debt },
    { ...OUTSIDE, asset, amount: -wallet - debt },
  ];
}

/** Shares by owner and place, from a ledger, now or at an earlier time. */
export type HeldShares = Pick<Ledger, 'strategyIds' | 'total' | 'at' | 'held'>;

/**
 * Payment on the shares at the venue and in the wallet, less the shares owed; if paid in tokens, on those at the venue
 * alone. Null if there are none.
 */
export function entitlementOf(
  ledger: HeldShares,
  action: Payment,
  rules: DividendRules = CASH_DIVIDENDS,
): Entitlement | null {
  const { symbol } = action;
  const net = { perShare: netOf(action, rules) };
  const inTokens = wayOf(rules, symbol) === 'tokens';
  const whole = paymentFor(entitledShares(ledger, symbol, inTokens), net);
  if (whole <= 0n && !(inTokens && ledger.at(WALLET, symbol) > 0n)) return null;
  const parts = [...ledger.strategyIds]
    .filter((strategyId) => strategyId !== UNALLOCATED)
    .map((strategyId) => [strategyId, paymentFor(ledger.held(strategyId, symbol), net)] as const)
    .filter(([, amount]) => amount > 0n);
  const rest = cash(whole - parts.reduce((sum, [, amount]) => sum + amount, 0n));
  return {
    action,
    parts: rest === 0n ? parts : [...parts, [UNALLOCATED, rest]],
    receivable: true,
    ...(inTokens ? { inTokens } : {}),
  };
}

/** Number of shares entitled to a payment. */
const entitledShares = (
  ledger: Pick<HeldShares, 'total' | 'at'>,
  symbol: Ticker,
  inTokens: boolean,
): bigint => ledger.total(symbol) + (inTokens ? 0n : ledger.at(WALLET, symbol) + ledger.at(DEBT, symbol));

/** Shares entitled to each part of a payment: the unallocated part includes the wallet's, less those owed. */
export function sharesOf(
  ledger: HeldShares,
  { action: { symbol }, parts, inTokens }: Entitlement,
): NonNullable<Entitlement['shares']> {
  const own = parts.filter(([strategyId]) => strategyId !== UNALLOCATED);
  const whole = entitledShares(ledger, symbol, inTokens === true);
  const rest = own.reduce((sum, [strategyId]) => sum - ledger.held(strategyId, symbol), whole);
  return parts.map(([strategyId]) => [
    strategyId,
    shares(strategyId === UNALLOCATED ? rest : ledger.held(strategyId, symbol)),
  ]);
}

export const amountOf = ({ parts }: Entitlement): Cash =>
  cash(parts.reduce((sum, [, amount]) => sum + amount, 0n));

function add(sums: Map<StrategyId, bigint>, { parts }: Entitlement, sign = 1n): void {
  for (const [strategyId, amount] of parts)
    sums.set(strategyId, (sums.get(strategyId) ?? 0n) + sign * amount);
}

/** Payments already payable on a date before later ones, in unchanged order within each group. */
export function payableFirst<T extends { readonly due: Entitlement }>(
  owed: readonly T[],
  date: string,
): readonly T[] {
  const isLater = ({ due: { action } }: T) => (action.payableDate ?? action.exDate) > date;
  return [...owed.filter((one) => !isLater(one)), ...owed.filter(isLater)];
}

/** Maximum number of payments to search: each further one doubles the time. */
const SEARCHED_MAX = 12;

/** First payments that add up to an amount, exactly or else apart from dust; empty if none do. */
export function paymentsMakingUp<T extends { readonly due: Entitlement }>(
  owed: readonly T[],
  amount: bigint,
): readonly T[] {
  const all = owed.reduce((sum, { due }) => sum + amountOf(due), 0n);
  const searched = owed.slice(0, SEARCHED_MAX);
  const chosen = (fits: (made: bigint) => boolean) => (fits(all) ? owed : choiceOf(searched, fits));
  return chosen((made) => made === amount) ?? chosen((made) => isNearly('mUSD', amount, made)) ?? [];
}

/** `made`: sum of the payments chosen so far. */
function choiceOf<T extends { readonly due: Entitlement }>(
  owed: readonly T[],
  fits: (made: bigint) => boolean,
  made = 0n,
): T[] | null {
  const [first, ...rest] = owed;
  if (first === undefined) return fits(made) ? [] : null;
  const others = choiceOf(rest, fits, made + amountOf(first.due));
  return others ? [first, ...others] : choiceOf(rest, fits, made);
}

type Parts = Readonly<{
  ledger: Ledger;
  positions: Positions;
  intents: Map<string, OrderIntent>;
  filledByIntent: IntentFills;
  synthetics: SyntheticBook;
}>;

/** Fields that states in journals before 0.9 lack: brackets with a stop entry or two take-profits are newer. */
const SINGLE_EXIT = { secondTakeProfit: null, entered: null } as const;

/** Books splits, dividends and write-offs. */
export class ActionBook {
  /** Ids of booked actions; a payment is booked from its ex-date on. */
  readonly booked = new Set<string>();
  /** Payments not yet received, by the id of their action, oldest first. */
  readonly unpaid = new Map<string, Entitlement>();
  /** Their amounts in mUSD by owner. */
  private readonly owed = new Map<StrategyId, bigint>();
  /** Time of the latest entitlements, and their amounts in mUSD by owner. */
  private readonly latest = { at: 0, parts: new Map<StrategyId, bigint>() };
  readonly #parts: Parts;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Dividends in mUSD that an owner has earned, from their ex-date until they are paid. */
  receivable(owner: StrategyId): bigint {
    return this.unpaid.size === 0 ? 0n : (this.owed.get(owner) ?? 0n);
  }

  /** The same for all owners together. */
  get receivables(): bigint {
    let sum = 0n;
    if (this.unpaid.size > 0) for (const amount of this.owed.values()) sum += amount;
    return sum;
  }

  /** The same for one stock. */
  receivableOf(owner: StrategyId, symbol: Ticker): bigint {
    let sum = 0n;
    for (const { action, parts, receivable } of this.unpaid.values())
      if (receivable && action.symbol === symbol)
        for (const [strategyId, amount] of parts) if (strategyId === owner) sum += amount;
    return sum;
  }

  /** mUSD that an owner became entitled to at exactly this time: prices known then are still from before. */
  entitledAt(at: EpochMs, owner: StrategyId): bigint {
    return this.latest.at === at ? (this.latest.parts.get(owner) ?? 0n) : 0n;
  }

  /** @throws {InvariantError} for an action already booked, as `split` does */
  entitle(due: Entitlement, at: EpochMs): void {
    this.#begin(actionId(due.action));
    this.unpaid.set(actionId(due.action), due);
    if (!due.receivable) return;
    add(this.owed, due);
    if (this.latest.at !== at) this.latest.parts.clear();
    this.latest.at = at;
    add(this.latest.parts, due);
  }

  #begin(id: string): void {
    if (this.booked.has(id)) throw new InvariantError(`${id} is booked a second time`);
    this.booked.add(id);
  }

  split({ action: split, intents, synthetics = [] }: JournalEventOf<'split'>): void {
    const { ledger, positions, filledByIntent } = this.#parts;
    this.#begin(actionId(split));
    for (const state of synthetics) this.#parts.synthetics.put({ ...SINGLE_EXIT, ...state });
    ledger.post(actionId(split), splitPostings(ledger, split));
    for (const strategyId of ledger.strategyIds)
      positions.split(strategyId, split.symbol, (quantity) => rescale(quantity, split));
    for (const intent of intents) {
      this.#parts.intents.set(intent.id, intent);
      filledByIntent.set(intent.id, shares(rescale(filledByIntent.get(intent.id), split)));
    }
  }

  writeOff({ strategyId, symbol, quantity }: JournalEventOf<'writtenOff'>): void {
    const { ledger, positions } = this.#parts;
    ledger.move(`write-off of ${symbol}`, {
      asset: symbol,
      amount: quantity,
      from: freeOf(strategyId),
      to: VENUE,
    });
    positions.settle({ strategyId, symbol, side: 'sell', pay: quantity, receive: 0n });
  }

  /**
   * Pays a due dividend to each owner. A negative unallocated part, for shares that deferred sells owe, is booked as owed
   * where free cash does not cover it. @throws {InvariantError} for a payment that is not due, as `payInTokens` does
   */
  pay(id: string): void {
    const { ledger, positions } = this.#parts;
    const due = this.#end(id);
    const asset = 'mUSD';
    const postings = due.parts.flatMap(([strategyId, amount]): Posting[] => {
      const free = strategyId === UNALLOCATED ? ledger.balance(strategyId, 'free', asset) : 0n;
      const owed = amount + free < 0n ? amount + free : 0n;
      return [
        { ...freeOf(strategyId), asset, amount: amount - owed },
        { ...OWED, asset, amount: owed },
        { ...VENUE, asset, amount: -amount },
      ];
    });
    ledger.post(id, postings);
    for (const [strategyId, amount] of due.parts)
      if (strategyId !== UNALLOCATED) positions.earn(strategyId, due.action.symbol, amount);
  }

  /** Ends a due payment. @throws {InvariantError} for one that is not due, or no longer */
  #end(id: string): Entitlement {
    const due = this.unpaid.get(id);
    if (!due) throw new InvariantError(`nothing is owed for ${id}`);
    this.unpaid.delete(id);
    if (due.receivable) add(this.owed, due, -1n);
    return due;
  }

  /** Books the shares of a payment to their owners: their value is earned, and is their cost. */
  payInTokens({ id, price, parts, wallet = shares(0n), debt = shares(0n) }: TokenPayment): void {
    const { ledger, positions } = this.#parts;
    const { symbol: asset } = this.#end(id).action;
    ledger.post(id, [
      ...parts.flatMap(([strategyId, amount]): Posting[] => [
        { ...freeOf(strategyId), asset, amount },
        { ...VENUE, asset, amount: -amount },
      ]),
      { ...WALLET, asset, amount: wallet },
      { ...DEBT, asset, amount: -debt },
      { ...OUTSIDE, asset, amount: debt - wallet },
    ]);
    for (const [strategyId, quantity] of parts) {
      if (strategyId === UNALLOCATED) continue;
      const cost = notionalOf(quantity, price, 'down');
      positions.bring({ strategyId, symbol: asset, quantity, cost });
      positions.earn(strategyId, asset, cost);
    }
  }
}
