import { bpsOf, cash, roundTo, stepOf } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { chanceOf } from '../../core/seededRandom.ts';
import { sameAddress, type Address } from '../../domain/instrument.ts';
import { cashierEvent, type Emit } from '../state/events.ts';
import { type VenueConstants, cashToken } from '../state/constants.ts';
import { balanceOf, transfer, type Place } from '../state/ledger.ts';
import type { Cashier, Hex, Operation } from '../state/state.ts';
import { spendAllowance, spendingProblem, type TokenAmount, type TokenCall } from '../state/tokens.ts';
import {
  keepOperation,
  known,
  operationIdOf,
  blockAfter,
  schedule,
  type VenueState,
} from '../state/venueState.ts';

/** Deposits up to the credit buffer divided by this are instant. */
export const INSTANT_DIVISOR = 5n;

/** Time in ms that a queued operation takes: minimum, and random part on top. */
const QUEUE_MIN_MS = 60_000;
const QUEUE_SPREAD_MS = 120_000;

const RAW = stepOf(cashToken.decimals);

/** mUSD credited for raw units of the cash token, after the fee. */
export const creditOf = ({ state }: VenueState, raw: bigint): bigint =>
  raw * RAW - bpsOf(cash(raw * RAW), state.constants.depositFeeBps, 'up');

/** Reason why a deposit reverts, or null. */
export function depositProblem(venue: VenueState, { user, token, amount }: TokenAmount): string | null {
  const { cashier, constants } = venue.state;
  if (!sameAddress(token, cashToken.address)) return 'unknown cash token';
  if (cashier.depositPaused) return 'deposits are paused';
  if (amount * RAW < constants.minDeposit) return 'deposit is below the minimum';
  return spendingProblem(venue, { user, token, amount: amount * RAW });
}

/** True if a deposit is credited immediately: it is small enough, and there is capacity for its tokens. */
export const isInstantDeposit = (cashier: Cashier, credit: bigint): boolean =>
  credit * INSTANT_DIVISOR <= cashier.creditBuffer &&
  cashier.withdrawalBuffer + credit <= cashier.withdrawalBufferCapacity;

/** Takes the tokens, and credits mUSD immediately or after the queue. The caller has checked that this is possible. */
export function deposit(venue: VenueState, call: TokenCall, at: EpochMs): void {
  const { cashier, balances } = venue.state;
  const credit = creditOf(venue, call.amount);
  const taken = call.amount * RAW;
  const isInstant = isInstantDeposit(cashier, credit);
  const { wallet, queued, free } = placesOf(call.user);
  spendAllowance(venue, { ...call, amount: taken });
  transfer(balances, {
    asset: cashToken.symbol,
    amount: taken,
    from: wallet,
    to: isInstant ? 'venue' : queued,
  });
  if (isInstant) {
    transfer(balances, { asset: 'mUSD', amount: credit, from: 'venue', to: free });
    cashier.creditBuffer -= credit;
    cashier.withdrawalBuffer += taken;
  }
  const fee = cash(taken - credit);
  const made = { type: 'deposit', amount: taken, credit: cash(credit), fee, isInstant } as const;
  begin(venue, { call, made }, at);
}

/** Reason why a withdrawal reverts, or null. */
export function withdrawProblem({ state }: VenueState, { user, token, amount }: TokenAmount): string | null {
  if (!sameAddress(token, cashToken.address)) return 'unknown cash token';
  if (state.cashier.withdrawPaused) return 'withdrawals are paused';
  if (payoutOf(state.constants, amount) <= 0n) return 'nothing is left after the fee';
  return balanceOf(state.balances, placesOf(user).free, 'mUSD') < amount ? 'insufficient mUsdBalance' : null;
}

/** Tokens paid for an amount of mUSD, after the fee; a fraction that the token cannot represent is a fee too. A wad. */
const payoutOf = ({ withdrawFeeBps }: VenueConstants, credit: bigint): bigint =>
  roundTo(credit - bpsOf(cash(credit), withdrawFeeBps, 'up'), RAW, 'down');

/** Deducts the mUSD, and pays the tokens immediately or after the queue. The caller has checked that it is possible. */
export function withdraw(venue: VenueState, call: TokenCall, at: EpochMs): void {
  const { cashier, balances, constants } = venue.state;
  const payout = payoutOf(constants, call.amount);
  const isInstant = payout <= cashier.withdrawalBuffer;
  const { wallet, queued, free } = placesOf(call.user);
  transfer(balances, { asset: 'mUSD', amount: call.amount, from: free, to: isInstant ? 'venue' : queued });
  if (isInstant) {
    transfer(balances, { asset: cashToken.symbol, amount: payout, from: 'venue', to: wallet });
    const credit = cashier.creditBuffer + call.amount;
    cashier.creditBuffer = credit < cashier.creditBufferCapacity ? credit : cashier.creditBufferCapacity;
    cashier.withdrawalBuffer -= payout;
  }
  const fee = cash(call.amount - payout);
  const made = { type: 'withdraw', amount: payout, credit: cash(call.amount), fee, isInstant } as const;
  begin(venue, { call, made }, at);
}

type CashOperation = Readonly<{
  call: TokenCall;
  made: Pick<Operation, 'amount' | 'credit' | 'fee' | 'isInstant'> & {
    readonly type: 'deposit' | 'withdraw';
  };
}>;

const EVENTS = {
  deposit: { now: 'InstantDeposit', later: 'DepositRequested' },
  withdraw: { now: 'InstantWithdrawal', later: 'WithdrawalRequested' },
} as const;

function begin(venue: VenueState, { call, made }: CashOperation, at: EpochMs): void {
  const { user, token, hash, emit } = call;
  const operationId = operationIdOf(hash);
  const operation: Operation = {
    operationId,
    txHash: hash,
    userAddress: user,
    token,
    asset: cashToken.symbol,
    ...made,
    settleTxHash: made.isInstant ? hash : null,
    changes: [{ at, word: made.isInstant ? 'success' : 'processing' }],
  };
  keepOperation(venue, operation);
  const args = { opId: operationId, user, token, amount: made.amount / RAW, creditAmount: made.credit };
  emit(cashierEvent(EVENTS[made.type][made.isInstant ? 'now' : 'later'], args));
  if (made.isInstant) return;
  const wait = QUEUE_MIN_MS + QUEUE_SPREAD_MS * chanceOf(`${venue.state.seed} queue ${operationId}`);
  schedule(venue.state, { due: blockAfter(venue.state, at + wait), kind: 'settleOperation', operationId });
}

type CashEnd = Readonly<{ opId: Hex; hash: Hex; emit: Emit; isSettled: boolean }>;

/** Ends a queued operation: settles it, or returns the full amount. */
export function endCash(venue: VenueState, { opId, hash, emit, isSettled }: CashEnd, at: EpochMs): void {
  const operation = known(venue.operations.get(opId), `operation ${opId}`);
  const { type, amount, credit } = operation;
  const { wallet, queued, free } = placesOf(operation.userAddress);
  const { balances } = venue.state;
  const isDeposit = type === 'deposit';
  const [tokens, money] = [
    { asset: cashToken.symbol, amount, home: wallet },
    { asset: 'mUSD' as const, amount: credit, home: free },
  ];
  const [{ home, ...taken }, { home: goal, ...given }] = isDeposit ? [tokens, money] : [money, tokens];
  transfer(balances, { ...taken, from: queued, to: isSettled ? 'venue' : home });
  if (isSettled) transfer(balances, { ...given, from: 'venue', to: goal });
  operation.settleTxHash = hash;
  operation.changes.push({ at, word: isSettled ? 'success' : 'failed' });
  const name = `${isDeposit ? 'Deposit' : 'Withdrawal'}${isSettled ? 'Settled' : 'Failed'}` as const;
  emit(cashierEvent(name, { opId }));
}

const placesOf = (holder: Address): Record<'wallet' | 'queued' | 'free', Place> => ({
  wallet: { holder, bucket: 'wallet' },
  queued: { holder, bucket: 'queued' },
  free: { holder, bucket: 'exchange' },
});
