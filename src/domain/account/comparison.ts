import { notionalOf } from '../../core/amount.ts';
import type { AccountState } from './accountState.ts';
import { DEBT, QUEUED_IN, QUEUED_OUT, WALLET, type Asset, type Holding, type Side } from './ledger.ts';
import {
  assetBrought,
  assetTaken,
  isUnseen,
  isWithdrawal,
  sumOfTransfers,
  type MoveTerms,
  type Transfer,
} from '../transfers/transfer.ts';
import { assetOf } from '../orders/order.ts';
import { isResting } from '../orders/reportMatching.ts';
import type { Ticker } from '../instrument.ts';
import { deferredUnderWay } from './deferredSells.ts';
import type { AccountReport, OrderTerms } from '../venue.ts';

/**
 * Asset on which ledger and venue differ now. `expected` counts working orders as locked, all others as not mined yet,
 * and an order whose end is claimed as ended. `explainable`: live orders and transfers could have moved it, and the
 * venue has not shown that yet.
 */
export type Mismatch = Readonly<{
  side: Side;
  asset: Holding;
  expected: bigint;
  actual: bigint;
  explainable: boolean;
  /** Amount missing even if every unseen order has been mined and locked. */
  shortfall: bigint;
  /** Amount present beyond everything that unseen orders and transfers may bring. */
  surplus: bigint;
}>;

/** Name of a difference: just the asset if it is in the venue's account. */
export type MismatchKey = string;
export const keyOf = ({ side, asset }: Pick<Mismatch, 'side' | 'asset'>): MismatchKey =>
  side === 'venue' ? asset : `${asset} ${side === 'wallet' ? 'in the wallet' : 'owed'}`;

/** Amount that the venue should show, and the range that unseen events may have moved it to. */
export type Expectation = Readonly<{ expected: bigint; least: bigint; most: bigint }>;
type ComparedAsset = Readonly<{ side: Side; asset: Holding; actual: bigint }>;

/** Compares everything the venue reports of the account; skips data that was not read or is not in the ledger. */
export function compareAccount(accountState: AccountState, account: AccountReport): Mismatch[] {
  return [
    ...venueSide(accountState, account),
    ...walletSide(accountState, account),
    ...debtSide(accountState, account),
  ];
}

/** The same without external orders that have ended, whose locks are free again. `ended`: their transactions. */
export function compareWithout(
  accountState: AccountState,
  account: AccountReport,
  ended: ReadonlySet<string>,
): Mismatch[] {
  const external = new Map([...accountState.external].filter(([txHash]) => !ended.has(txHash)));
  const rest = compareAccount(accountState, account).filter(({ side }) => side !== 'venue');
  return [...venueSide(accountState, account, external), ...rest];
}

/** Compares the venue's balances, which are net of locks: they exclude the reserve of a working order. */
function venueSide(
  accountState: AccountState,
  { cash, holdings }: AccountReport,
  external = accountState.external,
): Mismatch[] {
  return [...new Set<Asset>([...accountState.ledger.assets, ...holdings.keys()])].flatMap((asset) => {
    const actual = asset === 'mUSD' ? cash : (holdings.get(asset)?.exchange ?? 0n);
    return judge({ side: 'venue', asset, actual }, expectedAtVenue(accountState, asset, external));
  });
}

function walletSide(accountState: AccountState, { holdings, tokens }: AccountReport): Mismatch[] {
  if (!accountState.transfers.opened.wallet) return [];
  const compare = (asset: Holding, actual: bigint) =>
    judge({ side: 'wallet', asset, actual }, expectedInWallet(accountState, asset));
  const stocks = [...new Set<Asset>([...accountState.ledger.assets, ...holdings.keys()])].flatMap((asset) =>
    asset === 'mUSD' ? [] : compare(asset, holdings.get(asset)?.wallet ?? 0n),
  );
  if (!tokens) return stocks;
  const cashTokens = new Set([...accountState.ledger.tokens, ...tokens.keys()]);
  return [...stocks, ...[...cashTokens].flatMap((token) => compare(token, tokens.get(token) ?? 0n))];
}

function debtSide(accountState: AccountState, { debts }: AccountReport): Mismatch[] {
  const { ledger, transfers } = accountState;
  if (!debts || !transfers.opened.debts) return [];
  return [...new Set([...ledger.assets, ...debts.keys()])].flatMap((asset) => {
    if (asset === 'mUSD') return [];
    const actual = debts.get(asset) ?? 0n;
    return judge({ side: 'debt', asset, actual }, expectedDebt(accountState, asset));
  });
}

/** Expected debt: an unseen repayment or deferred sell may have changed it. */
export function expectedDebt(accountState: AccountState, asset: Ticker): Expectation {
  const { ledger, transfers } = accountState;
  const expected = -ledger.at(DEBT, asset);
  const repaid = sumOfTransfers(transfers.live, (terms) => terms.kind === 'repay' && terms.symbol === asset);
  return { expected, least: expected - repaid, most: expected + deferredUnderWay(accountState, asset) };
}

function judge({ side, asset, actual }: ComparedAsset, { expected, least, most }: Expectation): Mismatch[] {
  if (actual === expected) return [];
  const explainable = actual >= least && actual <= most;
  const shortfall = actual < least ? least - actual : 0n;
  const surplus = actual > most ? actual - most : 0n;
  return [{ side, asset, expected, actual, explainable, shortfall, surplus }];
}

/** Expected free amount at the venue, considering orders only. */
export function expectedOfOrders(
  accountState: AccountState,
  asset: Asset,
  external = accountState.external,
): Expectation {
  const total = accountState.ledger.total(asset);
  let [locked, inFlight, incoming] = [0n, 0n, 0n];
  for (const order of accountState.live.values()) {
    const { state, terms } = order;
    if (state.kind === 'planned') continue;
    if (assetOf(order) !== asset) {
      if (asset === 'mUSD' || asset === terms.symbol) incoming += mostReceived(order.terms);
      continue;
    }
    if (state.kind === 'working' && !order.claim) locked += state.locked;
    else inFlight += order.reserve;
  }
  locked += lockedByExternal({ external, opened: accountState.opened }, asset);
  return { expected: total - locked, least: total - locked - inFlight, most: total + incoming };
}

/** Amount that external open orders on this key have locked since the ledger was opened, as far as the venue reports it. */
export function lockedByExternal(
  { external, opened }: Pick<AccountState, 'external' | 'opened'>,
  asset: Asset,
): bigint {
  let sum = 0n;
  for (const each of external.values()) {
    const { report } = each;
    if (!report?.terms || !isResting(each)) continue;
    if (assetOf({ terms: report.terms }) !== asset || report.createdAt < (opened?.at ?? Infinity)) continue;
    sum += report.locked ?? 0n;
  }
  return sum;
}

/** Expected free amount at the venue. */
export const expectedAtVenue = (
  accountState: AccountState,
  asset: Asset,
  external = accountState.external,
): Expectation =>
  withTransfers(accountState, ['venue', asset], expectedOfOrders(accountState, asset, external));

/** Expected amount in the wallet. */
export function expectedInWallet(accountState: AccountState, asset: Holding): Expectation {
  const least = accountState.ledger.at(WALLET, asset);
  return withTransfers(accountState, ['wallet', asset], { expected: least, least, most: least });
}

/** Adds live transfers: an unseen one has not left yet, and an incoming one may arrive before or after we see it. */
function withTransfers(
  { transfers: { live }, ledger }: AccountState,
  [place, asset]: readonly [place: 'venue' | 'wallet', asset: Holding],
  { expected, least, most }: Expectation,
): Expectation {
  if (live.size === 0) return { expected, least, most };
  const isLeaving = (terms: MoveTerms) => isWithdrawal(terms) === (place === 'venue');
  const staying = sumOfTransfers(
    live,
    (terms, transfer) => isLeaving(terms) && assetTaken(terms) === asset && isNotMined(transfer),
  );
  const coming = sumOfTransfers(live, (terms) => !isLeaving(terms) && assetBrought(terms) === asset);
  const queued = ledger.at(place === 'venue' ? QUEUED_OUT : QUEUED_IN, asset);
  return { expected: expected + staying, least, most: most + queued + coming };
}

/** True for a transfer that counts as not mined: planned, or sent and not seen. */
const isNotMined = (transfer: Transfer): boolean => transfer.state.kind === 'planned' || isUnseen(transfer);

/** Bound for the proceeds of a market sell, which has no price limit; such an order lives only for seconds. */
const UNBOUNDED = 10n ** 40n;

function mostReceived(terms: OrderTerms): bigint {
  if (terms.type === 'market') return UNBOUNDED;
  return terms.side === 'buy' ? terms.quantity : 2n * notionalOf(terms.quantity, terms.price, 'up');
}
