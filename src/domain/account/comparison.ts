import { notionalOf } from '../../core/amount.ts';
import type { AccountState } from './accountState.ts';
import { DEBT, QUEUED_IN, QUEUED_OUT, WALLET, type Asset, type Holding, type Place } from './ledger.ts';
import { isUnseen, type Transfer, assetTaken } from '../transfers/transfer.ts';
import { assetOf } from '../orders/order.ts';
import type { AccountReport, OrderTerms } from '../venue.ts';

/** Place in which ledger and venue differ: the venue's account, the wallet, or the debts of deferred sells. */
export type Side = 'venue' | 'wallet' | 'debt';

/**
 * One asset on which the ledger and the venue differ now. `expected` takes working orders as locked and all others as not
 * yet mined; one whose end is claimed, as ended. `explainable`: the live orders and transfers could have moved it, and we have just not been told yet.
 */
export type Mismatch = Readonly<{
  side: Side;
  asset: Holding;
  expected: bigint;
  actual: bigint;
  explainable: boolean;
  /** Amount that is missing even if every unseen order has been mined and locked. */
  shortfall: bigint;
}>;

/** Amount that the venue should show, and the range that unseen events may have moved it to. */
export type Expectation = Readonly<{ expected: bigint; least: bigint; most: bigint }>;
type Compared = Readonly<{ side: Side; asset: Holding; actual: bigint }>;

/** Compares everything that the venue reports of the account; leaves out what was not read or is not opened in the ledger. */
export function compareAccount(books: AccountState, account: AccountReport): Mismatch[] {
  return [...venueSide(books, account), ...walletSide(books, account), ...debtSide(books, account)];
}

/** Compares the venue's balances, which are net of locks: a working order's reserve is missing from them. */
function venueSide(books: AccountState, { cash, holdings }: AccountReport): Mismatch[] {
  return [...new Set<Asset>([...books.ledger.assets, ...holdings.keys()])].flatMap((asset) => {
    const actual = asset === 'mUSD' ? cash : (holdings.get(asset)?.exchange ?? 0n);
    return judge({ side: 'venue', asset, actual }, expectedAtVenue(books, asset));
  });
}

function walletSide(books: AccountState, { holdings, tokens }: AccountReport): Mismatch[] {
  if (!books.transfers.opened.wallet) return [];
  const compare = (asset: Holding, actual: bigint) =>
    judge({ side: 'wallet', asset, actual }, expectedInWallet(books, asset));
  const stocks = [...new Set<Asset>([...books.ledger.assets, ...holdings.keys()])].flatMap((asset) =>
    asset === 'mUSD' ? [] : compare(asset, holdings.get(asset)?.wallet ?? 0n),
  );
  if (!tokens) return stocks;
  const cashTokens = new Set([...books.ledger.tokens, ...tokens.keys()]);
  return [...stocks, ...[...cashTokens].flatMap((token) => compare(token, tokens.get(token) ?? 0n))];
}

function debtSide({ ledger, transfers }: AccountState, { debts }: AccountReport): Mismatch[] {
  if (!debts || !transfers.opened.debts) return [];
  return [...new Set([...ledger.assets, ...debts.keys()])].flatMap((asset) => {
    if (asset === 'mUSD') return [];
    const actual = debts.get(asset) ?? 0n;
    return judge({ side: 'debt', asset, actual }, expectedDebt({ ledger, transfers }, asset));
  });
}

export function expectedDebt(
  { ledger, transfers }: Pick<AccountState, 'ledger' | 'transfers'>,
  asset: Holding,
): Expectation {
  const expected = -ledger.at(DEBT, asset);
  const live = transfers.live.values();
  const repaid = boundBy(live, { asset, queue: QUEUED_IN }, ({ terms }) => terms.kind === 'repay');
  return { expected, least: expected - repaid, most: expected };
}

function judge({ side, asset, actual }: Compared, { expected, least, most }: Expectation): Mismatch[] {
  if (actual === expected) return [];
  const explainable = actual >= least && actual <= most;
  const shortfall = actual < least ? least - actual : 0n;
  return [{ side, asset, expected, actual, explainable, shortfall }];
}

function expectedOfOrders(books: AccountState, asset: Asset): Expectation {
  const total = books.ledger.total(asset);
  let [locked, inFlight, incoming] = [0n, 0n, 0n];
  for (const order of books.live.values()) {
    const { state, terms } = order;
    if (state.kind === 'planned') continue;
    if (assetOf(order) !== asset) {
      if (asset === 'mUSD' || asset === terms.symbol) incoming += mostReceived(order.terms);
      continue;
    }
    if (state.kind === 'working' && !order.claim) locked += state.locked;
    else inFlight += order.reserve;
  }
  locked += lockedByExternal(books, asset);
  return { expected: total - locked, least: total - locked - inFlight, most: total + incoming };
}

/** Amount that external open orders on this key have locked since the ledger was opened, as far as the venue reports it. */
export function lockedByExternal({ external, opened }: AccountState, asset: Asset): bigint {
  let sum = 0n;
  for (const { report } of external.values()) {
    if (!report?.terms || (report.status !== 'open' && report.status !== 'canceling')) continue;
    if (assetOf({ terms: report.terms }) !== asset || report.createdAt < (opened?.at ?? Infinity)) continue;
    sum += report.locked ?? 0n;
  }
  return sum;
}

/** Expected free amount at the venue. */
export const expectedAtVenue = (books: AccountState, asset: Asset): Expectation =>
  withTransfers(books, asset, expectedOfOrders(books, asset));

/** Adds live transfers: an unseen withdrawal is still at the venue, and a deposit arrives before we see it. */
function withTransfers(
  { transfers, ledger }: AccountState,
  asset: Asset,
  { expected, least, most }: Expectation,
): Expectation {
  if (transfers.live.size === 0) return { expected, least, most };
  const leaving = notYetMined(transfers.live.values(), { asset, queue: QUEUED_OUT });
  let coming = 0n;
  for (const { terms } of transfers.live.values())
    if (
      terms.kind === 'stockDeposit'
        ? terms.symbol === asset
        : terms.kind === 'cashDeposit' && asset === 'mUSD'
    )
      coming += terms.amount;
  const bound = ledger.at(QUEUED_OUT, asset);
  return { expected: expected + leaving, least, most: most + bound + coming };
}

/** A deposit not seen yet has not left the wallet; a withdrawal reaches it when its turn in the queue comes. */
export function expectedInWallet({ ledger, transfers }: AccountState, asset: Holding): Expectation {
  const least = ledger.at(WALLET, asset);
  if (transfers.live.size === 0) return { expected: least, least, most: least };
  let coming = 0n;
  for (const { terms } of transfers.live.values())
    if (
      terms.kind === 'stockWithdrawal'
        ? terms.symbol === asset
        : terms.kind === 'cashWithdrawal' && terms.token === asset
    )
      coming += terms.amount;
  const expected = least + notYetMined(transfers.live.values(), { asset, queue: QUEUED_IN });
  return { expected, least, most: least + ledger.at(QUEUED_IN, asset) + coming };
}

type Bound = Readonly<{ asset: Holding; queue: Place }>;

/** Amount of an asset that live transfers have bound. */
function boundBy(
  live: Iterable<Transfer>,
  { asset, queue }: Bound,
  counts: (transfer: Transfer) => boolean,
): bigint {
  let sum = 0n;
  for (const transfer of live) {
    const { terms } = transfer;
    if (terms.kind === 'approve') continue;
    const takesOut = terms.kind === 'cashWithdrawal' || terms.kind === 'stockWithdrawal';
    const isThere = takesOut === (queue === QUEUED_OUT) && assetTaken(terms) === asset;
    if (isThere && counts(transfer)) sum += terms.amount;
  }
  return sum;
}

/** Amount of transfers taken as not yet mined: planned, or sent and not seen. */
const notYetMined = (live: Iterable<Transfer>, bound: Bound): bigint =>
  boundBy(live, bound, (transfer) => transfer.state.kind === 'planned' || isUnseen(transfer));

/** Bound for the proceeds of a market sell, which no price limits; such an order lives for seconds only. */
const UNBOUNDED = 10n ** 40n;

function mostReceived(terms: OrderTerms): bigint {
  if (terms.type === 'market') return UNBOUNDED;
  return terms.side === 'buy' ? terms.quantity : 2n * notionalOf(terms.quantity, terms.price, 'up');
}
