import {
  cash,
  least,
  notionalOf,
  roundTo,
  shares,
  sharesFor,
  stepOf,
  type Cash,
  type Price,
  type Shares,
} from '../../core/amount.ts';
import { DAY_MS, type EpochMs } from '../../core/brand.ts';
import { sameAddress, type Address, type Ticker } from '../../domain/instrument.ts';
import {
  transferHasEnded,
  type MoveTerms,
  type Transfer,
  type TransferTerms,
} from '../../domain/transfers/transfer.ts';
import type { AccountReport } from '../../domain/venue.ts';

/** Policies of automatic transfers. A policy that is absent is off. Amounts in mUSD; a day is any 24 hours. */
export type TreasuryPolicies = Readonly<{
  /** Deposits cash from the wallet when less than `below` is free: up to `upTo`, and at least `atLeast` at a time. */
  cashBuffer?: Readonly<{
    below: Cash;
    upTo: Cash;
    atLeast: Cash;
    maxPerDay: Cash;
    token?: Address | undefined;
  }>;
  /** Moves stock from the wallet to the exchange for a sell that lacks it. `onlyAsked`: only for sells that request it. */
  stockForSells?: Readonly<{ maxPerOrder: Cash; maxPerDay: Cash; onlyAsked?: boolean }>;
  /** Repays the debt of deferred sells with stock from the wallet. */
  repayDebt?: Readonly<{ maxPerDay: Cash }>;
  /** Maximum allowance for a token, by its pinned name in upper case, in whole units as a wad. */
  approve?: ReadonlyMap<string, bigint>;
  /** Kinds of transfer that people may request; absent if the run moves nothing. The policies' caps do not apply to them. */
  byHand?: ReadonlySet<MoveTerms['kind']>;
}>;

export type Policy = Exclude<keyof TreasuryPolicies, 'approve' | 'byHand'>;

/** Input of the policies: the account as the venue last showed it, and all transfers so far. */
export type TreasuryInput = Readonly<{
  now: EpochMs;
  /** Free mUSD: the larger of the venue's and the ledger's amount. */
  freeCash: Cash;
  tokens: ReadonlyMap<Address, bigint>;
  /** Stock in the wallet. */
  stocks: ReadonlyMap<Ticker, Shares>;
  debts: ReadonlyMap<Ticker, Shares>;
  /** Stock that the ledger has in the wallet and nothing else needs; null if the debt is unknown or no policy repays it. */
  uncommittedOf: (symbol: Ticker) => Shares | null;
  /** True while a deferred sell of a stock is under way, or ledger and venue differ about its debt. */
  isOwedUnsettled: (symbol: Ticker) => boolean;
  /** Allowances that the wallet has granted; absent if no spender is known. */
  allowances?: AccountReport['allowances'];
  /** The pinned name of a token, whatever the balances call it; null if it has none. */
  nameOf: (terms: MoveTerms) => string | null;
  priceOf: (symbol: Ticker) => Price | null;
  addressOf: (symbol: Ticker) => Address | null;
  transfers: readonly Transfer[];
  endedAt: (transfer: Transfer) => EpochMs | undefined;
}>;

/** A transfer that a policy wants, and why. */
export type TransferIntent = Readonly<{
  policy: Policy;
  cause: string;
  terms: TransferTerms;
  value: Cash;
  seen?: Transfer['seen'];
}>;

/** A sell that lacks stock on the exchange. */
export type StockNeed = Readonly<{ intentId: string; symbol: Ticker; missing: Shares }>;

/** Pause in ms of a policy after a failed transfer. */
export const PAUSE_MS = 600_000;
/** Amounts are rounded down to the cent, which every cash token can represent. */
const CENT = stepOf(2);

const POLICY_OF = {
  cashDeposit: 'cashBuffer',
  stockDeposit: 'stockForSells',
  repay: 'repayDebt',
  cashWithdrawal: null,
  stockWithdrawal: null,
} as const satisfies Record<MoveTerms['kind'], Policy | null>;

/** Policy of a transfer; an approval belongs to the policy that needs it. */
const policyOf = ({ terms }: Transfer): Policy | null =>
  POLICY_OF[terms.kind === 'approve' ? terms.before : terms.kind];

/** Cash transfer for the buffer, or null. */
export function wantCash(
  { cashBuffer: policy }: TreasuryPolicies,
  freshness: TreasuryInput,
): TransferIntent | null {
  if (!policy || freshness.freeCash >= policy.below || isBusy('cashBuffer', freshness)) return null;
  const token = policy.token ?? onlyOne(freshness.tokens);
  if (token === null) return null;
  const room = leftOf('cashBuffer', policy.maxPerDay, freshness);
  const amount = roundTo(
    least(policy.upTo - freshness.freeCash, room, freshness.tokens.get(token) ?? 0n),
    CENT,
    'down',
  );
  if (amount < policy.atLeast) return null;
  const terms = { kind: 'cashDeposit', token, amount } as const;
  return { policy: 'cashBuffer', cause: 'cash buffer', terms, value: cash(amount) };
}

/** Transfer of the stock that a sell lacks: the full amount or none, once per sell; or null. */
export function wantStock(
  { stockForSells: policy }: TreasuryPolicies,
  { intentId: intent, symbol, missing }: StockNeed,
  freshness: TreasuryInput,
): TransferIntent | null {
  const [price, token] = [freshness.priceOf(symbol), freshness.addressOf(symbol)];
  if (!policy || !price || !token || missing <= 0n || isBusy('stockForSells', freshness)) return null;
  if (isMoving(token, freshness) || freshness.transfers.some((transfer) => hasHelped(transfer, intent)))
    return null;
  const value = notionalOf(missing, price, 'up');
  const room = least(policy.maxPerOrder, leftOf('stockForSells', policy.maxPerDay, freshness));
  if ((freshness.stocks.get(symbol) ?? 0n) < missing || value > room) return null;
  // Stock needed to repay a debt is not deposited.
  if ((freshness.uncommittedOf(symbol) ?? missing) < missing) return null;
  const terms = { kind: 'stockDeposit', symbol, token, amount: missing } as const;
  return { policy: 'stockForSells', cause: intent, terms, value };
}

/**
 * Repayment of the first debt that the wallet's stock can pay at least in part, or null. None while a deferred sell may
 * change the debt: if the chain is not read, only the debt shows that a repayment is done.
 */
export function wantRepayment(
  { repayDebt: policy }: TreasuryPolicies,
  freshness: TreasuryInput,
): TransferIntent | null {
  if (!policy || isBusy('repayDebt', freshness)) return null;
  const room = cash(leftOf('repayDebt', policy.maxPerDay, freshness));
  for (const [symbol, debt] of freshness.debts) {
    const [price, token, wallet] = [
      freshness.priceOf(symbol),
      freshness.addressOf(symbol),
      freshness.stocks.get(symbol) ?? 0n,
    ];
    if (!price || !token || isMoving(token, freshness) || freshness.isOwedUnsettled(symbol)) continue;
    const amount = shares(least(debt, wallet, sharesFor(room, price, 'down')));
    const value = notionalOf(amount, price, 'up');
    if (amount <= 0n || value > room) continue;
    const terms = { kind: 'repay', symbol, token, amount } as const;
    return { policy: 'repayDebt', cause: 'deferred debt', terms, value, seen: { wallet, debt } };
  }
  return null;
}

/** True while a transfer of the policy is under way or unknown, and for a while after one has failed. */
function isBusy(policy: Policy, { transfers, endedAt, now }: TreasuryInput): boolean {
  return transfers.some((transfer) => {
    if (policyOf(transfer) !== policy) return false;
    if (!transferHasEnded(transfer)) return true;
    return transfer.state.kind !== 'settled' && now - (endedAt(transfer) ?? now) < PAUSE_MS;
  });
}

/** True while a transfer of the token is under way: its balance cannot tell two apart, and they would share an approval. */
export const isMoving = (token: Address, { transfers }: TreasuryInput): boolean =>
  transfers.some((transfer) => sameAddress(transfer.terms.token, token) && !transferHasEnded(transfer));

/**
 * True for a transfer that the intent has already caused. A mined approval does not count: its transfer is still to
 * come.
 */
const hasHelped = ({ cause, terms, state }: Transfer, intent: string): boolean =>
  cause === intent && !(terms.kind === 'approve' && state.kind === 'settled');

/**
 * Amount left under the daily cap, after all of the policy's transfers that moved funds or may have; manual ones do not count.
 */
function leftOf(policy: Policy, maxPerDay: Cash, { transfers, now }: TreasuryInput): bigint {
  let left: bigint = maxPerDay;
  for (const transfer of transfers) {
    const { terms, state, value, plannedAt, command } = transfer;
    if (command !== undefined) continue;
    const isNothing = state.kind === 'refused' || state.kind === 'abandoned' || state.kind === 'failed';
    if (terms.kind === 'approve' || isNothing || policyOf(transfer) !== policy) continue;
    if (plannedAt > now - DAY_MS) left -= value;
  }
  return left > 0n ? left : 0n;
}

function onlyOne(tokens: ReadonlyMap<Address, bigint>): Address | null {
  const [first, second] = tokens.keys();
  return second === undefined ? (first ?? null) : null;
}
