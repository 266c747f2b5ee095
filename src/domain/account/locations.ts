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

/** Venue's amounts in every place that holds money or stock of the account. */
export type VenueSide = Readonly<{
  account: AccountReport;
  /** Locked by open orders. */
  locked: Amounts;
  /** Amounts under way, by the list that shows them: cash tokens of deposits, mUSD of withdrawals, stock of both. */
  queued: Readonly<Record<ListedKind, Amounts>>;
}>;

/**
 * One asset in one place. `ledger`: amount by the journal, less what live orders and transfers have bound; `expected`: amount
 * that the venue should show, as far as it has shown those. Null where the ledger does not keep it.
 */
export type Cell = Readonly<{
  ledger: bigint | null;
  expected: bigint | null;
  venue: bigint | null;
  /** Venue minus expected; null where one side is unknown. */
  difference: bigint | null;
  /** True when live orders and transfers could explain the difference. */
  explainable: boolean;
}>;

type Ledger = Readonly<{ ledger: bigint } & Expectation>;

export const cashCells = (books: AccountState, { account, locked, queued }: VenueSide) => ({
  ...atVenueCells(books, 'mUSD', { free: account.cash, locked }),
  queuedOut: cellOf(queuedOut(books, 'mUSD'), amountIn(queued.cashWithdrawal, 'mUSD')),
});

/** Places of a cash token, by its address in lower case. */
export const tokenCells = (books: AccountState, token: Holding, { account, queued }: VenueSide) => ({
  wallet: cellOf(inWallet(books, token), amountIn(account.tokens ?? null, token)),
  queuedIn: cellOf(queuedIn(books, token), amountIn(queued.cashDeposit, token)),
});

export const stockCells = (books: AccountState, symbol: Ticker, { account, locked, queued }: VenueSide) => ({
  ...atVenueCells(books, symbol, { free: account.holdings.get(symbol)?.exchange ?? 0n, locked }),
  queuedIn: cellOf(queuedIn(books, symbol), amountIn(queued.stockDeposit, symbol)),
  queuedOut: cellOf(queuedOut(books, symbol), amountIn(queued.stockWithdrawal, symbol)),
  wallet: cellOf(inWallet(books, symbol), account.holdings.get(symbol)?.wallet ?? 0n),
  debt: cellOf(owed(books, symbol), amountIn(account.debts ?? null, symbol)),
});

function cellOf(kept: Ledger | null, venue: bigint | null): Cell {
  if (!kept) return { ledger: null, expected: null, venue, difference: null, explainable: false };
  const { ledger, expected, least, most } = kept;
  const explainable = venue !== null && venue !== expected && venue >= least && venue <= most;
  return { ledger, expected, venue, difference: venue === null ? null : venue - expected, explainable };
}

/** Free and locked at the venue, which locks the reserve of an order when it takes the order, and returns it at the end. */
function atVenueCells(
  books: AccountState,
  asset: Asset,
  { free, locked }: Readonly<{ free: bigint; locked: Amounts }>,
) {
  const reserved = reservedOf(books, asset);
  const whole = { ledger: books.ledger.total(asset) - reserved, ...expectedAtVenue(books, asset) };
  const expected = books.ledger.total(asset) - expectedOfOrders(books, asset).expected;
  const external = lockedByExternal(books, asset);
  const bound = { ledger: reserved, expected, least: external, most: reserved + external };
  return { free: cellOf(whole, free), locked: cellOf(bound, amountIn(locked, asset)) };
}

function reservedOf({ ledger }: AccountState, asset: Asset): bigint {
  let sum = 0n;
  for (const owner of ledger.owners) sum += ledger.balance(owner, 'reserved', asset);
  return sum;
}

const queuedIn = (books: AccountState, asset: Holding): Ledger => queueOf(books, asset, QUEUED_IN);
const queuedOut = (books: AccountState, asset: Holding): Ledger => queueOf(books, asset, QUEUED_OUT);

/** Amount in a queue of the venue: taken in and not finished. A transfer that has not been seen may be in it. */
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

function inWallet(books: AccountState, asset: Holding): Ledger | null {
  if (!books.transfers.opened.wallet) return null;
  return { ledger: books.ledger.at(WALLET, asset), ...expectedInWallet(books, asset) };
}

function owed(books: AccountState, symbol: Ticker): Ledger | null {
  if (!books.transfers.opened.debts) return null;
  const debt = expectedDebt(books, symbol);
  return { ledger: debt.expected, ...debt };
}
