import { cash, notionalOf, price, shares } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { InvariantError } from '../../core/errors.ts';
import { actionId, type Entitlement, type TokenPayment } from '../corporateAction.ts';
import type { JournalEntry, JournalEvent, JournalEventOf } from '../journalEvent.ts';
import { isDeferred, txHashOf, type Order } from '../orders/order.ts';
import { settledAmounts } from '../orders/settlementRules.ts';
import { isWithdrawal, type Transfer } from '../transfers/transfer.ts';
import type { Settlement } from '../venue.ts';
import type { AccountChange, ChangeCause, TradeTerms } from './accountChange.ts';
import { AccountState } from './accountState.ts';
import { sharesOf } from './actionBook.ts';
import { isToken, OWED, UNALLOCATED, type Asset, type Holding, type StrategyId } from './ledger.ts';

/** Kinds of events that change the account: a history needs no others. */
export const ACCOUNT_KINDS = [
  'opened',
  'allocated',
  'planned',
  'order',
  'walletOpened',
  'debtsOpened',
  'transferPlanned',
  'transfer',
  'balanceAccepted',
  'split',
  'entitled',
  'paid',
  'paidInTokens',
  'writtenOff',
] as const satisfies readonly JournalEvent['kind'][];

/** Change of one owner's amount of one asset at the venue, from the ledger before and after an event. */
type Delta = Readonly<{ strategyId: StrategyId; asset: Asset; amount: bigint }>;

/**
 * Changes of the account's cash and stock at the venue, in journal order, derived from the bookings of the account
 * state. Per owner and asset, their sum is the balance in the ledger.
 */
export class AccountHistory {
  readonly account = new AccountState();
  /** Dividends due, with the entitled shares, by the id of their action. */
  readonly #due = new Map<string, readonly AccountChange[]>();

  /**
   * Applies the next entry of the journal; kinds other than `ACCOUNT_KINDS` may be left out.
   * @throws {InvariantError} if the event contradicts the account state
   */
  apply(entry: JournalEntry): readonly AccountChange[] {
    const { fact } = entry;
    switch (fact.kind) {
      case 'opened':
        return this.#opened(entry, fact);
      case 'allocated':
        return this.#each(entry, ['mUSD'], () => ({ kind: 'allocated' }));
      case 'order':
        return this.#order(entry, this.account.order(fact.id));
      case 'transferPlanned':
        return this.#transfer(entry, fact.transfer);
      case 'transfer':
        return this.#transfer(entry, this.account.transfers.of(fact.id));
      case 'balanceAccepted':
        return this.#each(entry, atVenue(fact.asset), () => ({
          kind: 'flow',
          source: 'accepted',
          id: null,
          value: fact.value,
        }));
      case 'split':
        return this.#each(entry, [fact.action.symbol], () => ({ kind: 'split', action: fact.action }));
      case 'entitled':
        return this.#entitled(entry, fact);
      case 'paid':
        return this.#paid(entry, fact.id);
      case 'paidInTokens':
        return this.#paidInTokens(entry, fact);
      case 'writtenOff':
        return this.#each(entry, [fact.symbol], () => ({
          kind: 'writtenOff',
          value: fact.value,
          why: fact.why,
        }));
      default:
        this.account.apply(entry);
        return [];
    }
  }

  /** Applies an entry, and returns each change of an owner's amounts of these assets with its cause. */
  #each(
    entry: JournalEntry,
    assets: readonly Asset[],
    causeOf: (delta: Delta) => ChangeCause,
  ): readonly AccountChange[] {
    return this.#deltas(entry, assets).map((delta) => changeOf(entry.at, delta, causeOf(delta)));
  }

  /** Applies an entry, and returns the changes of each owner's amounts of these assets. */
  #deltas(entry: JournalEntry, assets: readonly Asset[]): readonly Delta[] {
    const { ledger } = this.account;
    const before = new Map(
      [...ledger.strategyIds].map((id) => [id, assets.map((asset) => this.#owned(id, asset))]),
    );
    this.account.apply(entry);
    return [...ledger.strategyIds].flatMap((strategyId) =>
      assets.flatMap((asset, index) => {
        const amount = this.#owned(strategyId, asset) - (before.get(strategyId)?.[index] ?? 0n);
        return amount === 0n ? [] : [{ strategyId, asset, amount }];
      }),
    );
  }

  /** An owner's amount at the venue. Owed amounts reduce the unallocated part. */
  #owned(strategyId: StrategyId, asset: Asset): bigint {
    const { ledger } = this.account;
    return ledger.held(strategyId, asset) + (strategyId === UNALLOCATED ? ledger.at(OWED, asset) : 0n);
  }

  #opened(entry: JournalEntry, fact: JournalEventOf<'opened'>): readonly AccountChange[] {
    const prices = new Map(fact.prices ?? []);
    return this.#each(entry, ['mUSD', ...fact.holdings.map(([symbol]) => symbol)], ({ asset }) => ({
      kind: 'opened',
      price: asset === 'mUSD' ? null : (prices.get(asset) ?? null),
    }));
  }

  #order(entry: JournalEntry, before: Order): readonly AccountChange[] {
    const { symbol } = before.terms;
    const deltas = this.#deltas(entry, ['mUSD', symbol]);
    const after = this.account.order(before.id);
    const [was, is] = [settlementOf(before), settlementOf(after)];
    if (was === is) return deltas.map((delta) => changeOf(entry.at, delta, { kind: 'covered' }));
    if (was) return tradeWith(entry.at, { order: before, settlement: was, kind: 'reversed', deltas });
    return is ? tradeWith(entry.at, { order: after, settlement: is, kind: 'traded', deltas }) : [];
  }

  #transfer(entry: JournalEntry, { id, terms, value }: Transfer): readonly AccountChange[] {
    if (terms.kind === 'approve' || terms.kind === 'repay') return this.#beside(entry, id);
    const asset = 'symbol' in terms ? terms.symbol : 'mUSD';
    const source = terms.kind;
    return this.#each(entry, [asset], ({ amount }) => {
      const worth = asset === 'mUSD' ? amount : amount < 0n ? -value : value;
      const isBack = isWithdrawal(terms) && amount > 0n;
      return { kind: isBack ? 'flowReturned' : 'flow', source, id, value: cash(worth) };
    });
  }

  /** Applies a transfer that moves nothing at the venue: an approval, or a repayment from the wallet. */
  #beside(entry: JournalEntry, id: Transfer['id']): readonly AccountChange[] {
    const was = this.account.transfers.all.get(id)?.state.kind;
    this.account.apply(entry);
    const { terms, state } = this.account.transfers.of(id);
    if (terms.kind !== 'repay' || state.kind !== 'settled' || was === 'settled') return [];
    const delta = { strategyId: UNALLOCATED, asset: terms.symbol, amount: 0n };
    return [changeOf(entry.at, delta, { kind: 'debtRepaid', quantity: terms.amount })];
  }

  #entitled(entry: JournalEntry, due: Entitlement): readonly AccountChange[] {
    const changes = entitlementChanges(this.account, entry.at, due);
    this.account.apply(entry);
    this.#due.set(actionId(due.action), changes);
    return changes;
  }

  #paid(entry: JournalEntry, id: string): readonly AccountChange[] {
    const due = this.#due.get(id) ?? [];
    this.#due.delete(id);
    return this.#each(entry, ['mUSD'], ({ strategyId }) => {
      const part = due.find((change) => change.strategyId === strategyId);
      if (part?.kind !== 'entitled') throw new InvariantError(`${id} pays an owner that it is not due to`);
      const { action, quantity, amount } = part;
      return { kind: 'paid', action, quantity, amount };
    });
  }

  /** Shares received for a dividend; 0 for an owner who was due some if nothing was received. */
  #paidInTokens(entry: JournalEntry, { id, price: at }: TokenPayment): readonly AccountChange[] {
    const due = new Map((this.#due.get(id) ?? []).map((change) => [change.strategyId, change]));
    this.#due.delete(id);
    const action = this.account.actions.unpaid.get(id)?.action;
    if (!action) throw new InvariantError(`nothing is owed for ${id}`);
    const { symbol: asset } = action;
    const came = this.#deltas(entry, [asset]);
    const got = new Set(came.map(({ strategyId }) => strategyId));
    const none = [...due.keys()]
      .filter((id) => !got.has(id))
      .map((id) => ({ strategyId: id, asset, amount: 0n }));
    return [...came, ...none].map((delta) => {
      const part = due.get(delta.strategyId);
      const quantity = part?.kind === 'entitled' ? part.quantity : shares(0n);
      const amount = notionalOf(shares(delta.amount), at, 'down');
      return changeOf(entry.at, delta, { kind: 'paid', action, quantity, amount, price: at });
    });
  }
}

const settlementOf = ({ state }: Order): Settlement | null =>
  state.kind === 'closed' ? state.settlement : null;

/** List with an asset of the venue; empty for a cash token of the wallet. */
const atVenue = (asset: Holding): readonly Asset[] => (isToken(asset) ? [] : [asset]);

function changeOf(at: EpochMs, { strategyId, asset, amount }: Delta, cause: ChangeCause): AccountChange {
  const isCash = asset === 'mUSD';
  return {
    at,
    strategyId,
    cash: cash(isCash ? amount : 0n),
    symbol: isCash ? null : asset,
    shares: shares(isCash ? 0n : amount),
    ...cause,
  };
}

type SettledFill = Readonly<{
  order: Order;
  settlement: Settlement;
  kind: 'traded' | 'reversed';
  deltas: readonly Delta[];
}>;

/** Change by a settled order, with the amounts that other owners cover or get back. */
function tradeWith(at: EpochMs, { order, settlement, kind, deltas }: SettledFill): readonly AccountChange[] {
  const { strategyId } = order;
  const { side, symbol } = order.terms;
  const trade = tradeTerms(order, settlement);
  const sign = (side === 'buy') === (kind === 'traded') ? 1n : -1n;
  const { money } = settledAmounts(order.terms, settlement);
  const moved = { mUSD: -sign * money, [symbol]: trade.deferred ? 0n : sign * trade.quantity };
  const own = { cash: cash(moved.mUSD), symbol, shares: shares(moved[symbol] ?? 0n) };
  const assets: readonly Asset[] = ['mUSD', symbol];
  const rest = assets.map((asset) => ({ strategyId, asset, amount: -(moved[asset] ?? 0n) }));
  const covered = netOf([...deltas, ...rest]).map((delta) => changeOf(at, delta, { kind: 'covered' }));
  return [{ at, strategyId, ...own, kind, ...trade }, ...covered];
}

function tradeTerms(order: Order, settlement: Settlement): TradeTerms {
  const { id, intentId, terms, reason, tag, state } = order;
  const { quantity, notional } = settledAmounts(terms, settlement);
  const { price: at, mintFee, protocolFee } = settlement;
  return {
    orderId: id,
    venueId: state.kind === 'closed' ? state.venueId : null,
    txHash: txHashOf(order),
    intentId,
    side: terms.side,
    quantity: shares(quantity),
    price: price(at),
    notional: cash(notional),
    mintFee,
    protocolFee,
    deferred: isDeferred(terms),
    reason,
    ...(tag === undefined ? {} : { tag }),
  };
}

/** Sums by owner and asset, without zeros. */
function netOf(deltas: readonly Delta[]): readonly Delta[] {
  const sums = new Map<string, Delta>();
  for (const { strategyId, asset, amount } of deltas) {
    const key = `${asset} ${strategyId}`;
    sums.set(key, { strategyId, asset, amount: (sums.get(key)?.amount ?? 0n) + amount });
  }
  return [...sums.values()].filter(({ amount }) => amount !== 0n);
}

/** Parts of a dividend with the shares entitled to each. */
function entitlementChanges(
  { ledger }: AccountState,
  at: EpochMs,
  due: Entitlement,
): readonly AccountChange[] {
  const { action, parts } = due;
  const quantities = new Map(due.shares ?? sharesOf(ledger, due));
  return parts.map(([strategyId, amount]) => {
    const quantity = quantities.get(strategyId) ?? shares(0n);
    const delta = { strategyId, asset: action.symbol, amount: 0n };
    return changeOf(at, delta, { kind: 'entitled', action, quantity, amount });
  });
}
