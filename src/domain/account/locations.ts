import type { AccountState } from './accountState.ts';
import {
  expectedAtVenue,
  expectedDebt,
  expectedInWallet,
  expectedOfOrders,
  lockedByExternal,
  type Expectation,
} from './comparison.ts';
import type { Ticker } from '../instrument.ts';
import { QUEUED_IN, QUEUED_OUT, WALLET, type Asset, type Holding, type Place } from './ledger.ts';
import { assetTaken, isWithdrawal, sumOfTransfers, type ListedKind } from '../transfers/transfer.ts';
import type { AccountReport } from '../venue.ts';
import { amountIn, type Amounts } from './hiddenAmounts.ts';

/** The venue's amounts in every place that holds money or stock of the account. */
export type VenueSide = Readonly<{
  account: AccountReport;
  /** Amounts locked by open orders. */
  locked: Amounts;
  /** Amounts under way, by the list that shows them: cash tokens of deposits, mUSD of withdrawals, stock of both. */
  queued: Readonly<Record<ListedKind, Amounts>>;
}>;

/**
 * One asset in one place. `ledger`: amount in the journal, less what live orders and transfers have bound; `expected`:
 * amount that the venue should show, as far as it has shown those. Null if the ledger does not track it.
 */
export type Cell = Readonly<{
  ledger: bigint | null;
  expected: bigint | null;
  venue: bigint | null;
  /** Venue minus expected; null if either is unknown. */
  difference: bigint | null;
  /** True when live orders and transfers could explain the difference. */
  explainable: boolean;
}>;

type Ledger = Readonly<{ ledger: bigint } & Expectation>;

export const cashCells = (accountState: AccountState, { account, locked, queued }: VenueSide) => ({
  ...atVenueCells(accountState, 'mUSD', { free: account.cash, locked }),
  queuedOut: cellOf(queuedOut(accountState, 'mUSD'), amountIn(queued.cashWithdrawal, 'mUSD')),
});

/** Places of a cash token, by its lower-case address. */
export const tokenCells = (accountState: AccountState, token: Holding, { account, queued }: VenueSide) => ({
  wallet: cellOf(inWallet(accountState, token), amountIn(account.tokens ?? null, token)),
  queuedIn: cellOf(queuedIn(accountState, token), amountIn(queued.cashDeposit, token)),
});

export const stockCells = (
  accountState: AccountState,
  symbol: Ticker,
  { account, locked, queued }: VenueSide,
) => ({
  ...atVenueCells(accountState, symbol, { free: account.holdings.get(symbol)?.exchange ?? 0n, locked }),
  queuedIn: cellOf(queuedIn(accountState, symbol), amountIn(queued.stockDeposit, symbol)),
  queuedOut: cellOf(queuedOut(accountState, symbol), amountIn(queued.stockWithdrawal, symbol)),
  wallet: cellOf(inWallet(accountState, symbol), account.holdings.get(symbol)?.wallet ?? 0n),
  debt: cellOf(owed(accountState, symbol), amountIn(account.debts ?? null, symbol)),
});

function cellOf(known: Ledger | null, venue: bigint | null): Cell {
  if (!known) return { ledger: null, expected: null, venue, difference: null, explainable: false };
  const { ledger, expected, least, most } = known;
  const explainable = venue !== null && venue !== expected && venue >= least && venue <= most;
  return { ledger, expected, venue, difference: venue === null ? null : venue - expected, explainable };
}

/** Free and locked amounts at the venue, which locks an order's reserve on acceptance and releases it at the end. */
function atVenueCells(
  accountState: AccountState,
  asset: Asset,
  { free, locked }: Readonly<{ free: bigint; locked: Amounts }>,
) {
  const reserved = reservedOf(accountState, asset);
  const whole = {
    ledger: accountState.ledger.total(asset) - reserved,
    ...expectedAtVenue(accountState, asset),
  };
  const expected = accountState.ledger.total(asset) - expectedOfOrders(accountState, asset).expected;
  const external = lockedByExternal(accountState, asset);
  const bound = { ledger: reserved, expected, least: external, most: reserved + external };
  return { free: cellOf(whole, free), locked: cellOf(bound, amountIn(locked, asset)) };
}

function reservedOf({ ledger }: AccountState, asset: Asset): bigint {
  let sum = 0n;
  for (const strategyId of ledger.strategyIds) sum += ledger.balance(strategyId, 'reserved', asset);
  return sum;
}

const queuedIn = (accountState: AccountState, asset: Holding): Ledger =>
  queueOf(accountState, asset, QUEUED_IN);
const queuedOut = (accountState: AccountState, asset: Holding): Ledger =>
  queueOf(accountState, asset, QUEUED_OUT);

/** Amount in a queue of the venue: received and not finished. An unseen transfer may be in it. */
function queueOf({ transfers, ledger }: AccountState, asset: Holding, queue: Place): Ledger {
  const isOut = queue === QUEUED_OUT;
  const expected = sumOfTransfers(
    transfers.live,
    (terms, { state }) =>
      isWithdrawal(terms) === isOut && assetTaken(terms) === asset && state.kind === 'processing',
  );
  const bound = ledger.at(queue, asset);
  return { ledger: bound, expected, least: 0n, most: bound };
}

function inWallet(accountState: AccountState, asset: Holding): Ledger | null {
  if (!accountState.transfers.opened.wallet) return null;
  return { ledger: accountState.ledger.at(WALLET, asset), ...expectedInWallet(accountState, asset) };
}

function owed(accountState: AccountState, symbol: Ticker): Ledger | null {
  if (!accountState.transfers.opened.debts) return null;
  const debt = expectedDebt(accountState, symbol);
  return { ledger: debt.expected, ...debt };
}
