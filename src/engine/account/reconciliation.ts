import { formatDecimal, magnitude, notionalOf, shares, sharesFor } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { DIFFERENCE } from '../../domain/account/freezes.ts';
import { compareAccount, keyOf, type Mismatch, type MismatchKey } from '../../domain/account/comparison.ts';
import { isDust } from '../../domain/account/dust.ts';
import { isToken, type Asset, type Holding } from '../../domain/account/ledger.ts';
import type { Ticker } from '../../domain/instrument.ts';
import { type Order, assetOf, assetReceived, exactShares, isDeferred } from '../../domain/orders/order.ts';
import type { AccountReport, OrderTerms } from '../../domain/venue.ts';
import type { CorporateActions } from './corporateActions.ts';
import { Dust } from './dust.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { worth } from '../state/exposure.ts';
import type { WriteOffEvent } from '../state/kernelEvent.ts';
import type { OpenIntents } from '../intents/intents.ts';

/** Time in ms for which a difference must be unchanged before it counts, because settlements take time. */
const SETTLE_MS = 30_000;
/** The same time for a difference that orders under way could explain. */
const EXPLAINABLE_MS = 600_000;
/** Time in ms for which ledger and venue must agree, in two or more reads, before a freeze by their difference ends. */
const AGREED_MS = 30_000;
/** Time in ms during which the account is read repeatedly because a difference stops orders. */
const LOOK_AGAIN_MS = 120_000;
/** Factor on the settling time for a difference that keeps changing. */
const DRIFTS = 3;

/**
 * `reported`: the gap that last counted, unless ledger and venue have agreed since. `astray`: since when the gap has
 * differed from that (or from none); `beyond`: since when it has exceeded what orders under way explain.
 */
type GapState = Readonly<{
  gap: bigint;
  since: EpochMs;
  reported: bigint | null;
  astray: EpochMs;
  beyond: EpochMs;
  /** True if orders were under way when it was first seen: only they may explain it. */
  explainable: boolean;
  /** The mismatch in the last comparison. */
  mismatch: Mismatch;
}>;

/** Text such as `AAPL: the ledger says 3, the venue 2`. */
export const describeMismatch = (
  mismatch: Pick<Mismatch, 'side' | 'asset' | 'expected' | 'actual'>,
): string =>
  `${keyOf(mismatch)}: the ledger says ${formatDecimal(mismatch.expected)}, the venue ${formatDecimal(mismatch.actual)}`;

/** Compares the ledger with the venue at each account poll. It never changes the ledger to make them agree. */
export class Reconciliation {
  readonly #context: EngineContext;
  readonly #actions: Pick<CorporateActions, 'mayExplain' | 'isGrowth'>;
  readonly #standing = new Map<MismatchKey, GapState>();
  readonly #blocked = new Set<Asset>();
  /** Times since which stocks frozen by a difference have agreed. */
  readonly #agreedSince = new Map<Asset, EpochMs>();
  /** True if the last comparison included debts. */
  #hasDebts = false;
  /** Time at which the latest difference began. */
  #blockedSince: EpochMs | null = null;
  /** Differences too small to count. */
  readonly dust = new Dust();
  runs = 0;
  /** Number of counted differences since this process began. */
  found = 0;

  constructor(context: EngineContext, actions: Pick<CorporateActions, 'mayExplain' | 'isGrowth'>) {
    this.#context = context;
    this.#actions = actions;
  }

  /** Differences that have counted and still exist, even with another amount. */
  get open(): MismatchKey[] {
    return [...this.#standing].filter(([, { reported }]) => reported !== null).map(([key]) => key);
  }

  /** The same as mismatches of the last comparison. */
  get standing(): readonly Mismatch[] {
    return [...this.#standing.values()].flatMap(({ reported, mismatch }) =>
      reported === null ? [] : [mismatch],
    );
  }

  /** Differences of the last comparison that are too recent to count. */
  get unsettled(): MismatchKey[] {
    return [...this.#standing].filter(([, { reported }]) => reported === null).map(([key]) => key);
  }

  /** True when the last comparison found no difference. */
  get clean(): boolean {
    return this.runs > 0 && this.#standing.size === 0;
  }

  /** True when only counted differences are left, which waiting does not end. */
  get settled(): boolean {
    return this.runs > 0 && this.unsettled.length === 0;
  }

  /** True while a difference blocks orders and the next account read may end it. */
  get isBlocking(): boolean {
    return this.#blockedSince !== null && this.#context.now - this.#blockedSince < LOOK_AGAIN_MS;
  }

  /** Compares an account report with the ledger. `asked`: when its request was sent, and so how old it is. */
  compare(report: AccountReport, asked: EpochMs): void {
    this.runs++;
    const all = compareAccount(this.#context.accountState, report);
    const shortfalls = new Map(all.filter(isAtVenue).map(({ asset, shortfall }) => [asset, shortfall]));
    const missing = this.#missingMoney;
    this.#context.reads.account = { shortfalls, uncovered: uncoveredIn(all), missing, at: asked };
    const { needed } = this.#context.reads;
    for (const asset of [...needed]) if (!shortfalls.get(asset)) needed.delete(asset);
    const mismatches = this.dust.sift(all, { now: this.#context.now, needed });
    const atVenue = mismatches.filter(isAtVenue);
    this.#hasDebts = report.debts !== undefined && this.#context.accountState.transfers.opened.debts;
    for (const asset of [...this.#context.reads.unshown.keys()])
      if (!shortfalls.get(asset)) this.#context.reads.unshown.delete(asset);
    const mismatched = new Set(mismatches.map(keyOf));
    for (const [key, { reported }] of [...this.#standing]) {
      if (mismatched.has(key)) continue;
      this.#standing.delete(key);
      if (reported !== null) this.#context.allClear(`difference ${key}`, `the difference in ${key} is gone`);
    }
    const moving = movingAssets(this.#context, atVenue);
    const isMoving = ({ side, asset }: Mismatch) => side === 'venue' && moving.has(asset);
    for (const mismatch of mismatches) this.#stand(mismatch, isMoving(mismatch));
    this.#block(atVenue.filter((mismatch) => !isMoving(mismatch)));
    this.#thaw();
  }

  /** Holds orders on an asset that differs: the difference may be explained later, but is not ignored until then. */
  #block(mismatches: readonly Mismatch[]): void {
    const { holds, now } = this.#context;
    const before = new Set(this.#blocked);
    for (const asset of before) holds.lift('difference', asset);
    this.#blocked.clear();
    for (const { asset, expected, actual } of mismatches) {
      if (isToken(asset)) continue;
      const shown = `the venue shows ${formatDecimal(actual)} ${asset}, the ledger ${formatDecimal(expected)}`;
      holds.put('difference', shown, asset);
      this.#blocked.add(asset);
    }
    if (this.#blocked.size === 0) this.#blockedSince = null;
    if ([...this.#blocked].every((asset) => before.has(asset))) return;
    this.#blockedSince = now;
    this.#context.ask({ kind: 'readAccount' });
  }

  /** Ends freezes caused by a difference once ledger and venue have agreed for long enough. Other causes remain. */
  #thaw(): void {
    const { accountState, now } = this.#context;
    for (const symbol of accountState.frozen.keys()) {
      if (!accountState.freezes.has(symbol, DIFFERENCE) || this.#blocked.has(symbol)) {
        this.#agreedSince.delete(symbol);
        continue;
      }
      const since = this.#agreedSince.get(symbol) ?? now;
      this.#agreedSince.set(symbol, since);
      if (now - since < AGREED_MS) continue;
      this.#agreedSince.delete(symbol);
      this.#context.unfreeze(symbol, DIFFERENCE, 'ledger and venue agree again');
    }
  }

  /**
   * True when the account is as expected without the order. A difference unchanged since before the send is not its effect,
   * nor is dust that stays dust next to the order. If a buy without a claimed end may have brought exactly the shares that
   * a sell took, the money must agree too. Growth by a due dividend is not the effect of a buy that took no money.
   */
  agreesWithout(order: Order): boolean {
    const sentAt = 'at' in order.state ? order.state.at : -Infinity;
    const { symbol, side } = order.terms;
    const explained = (key: MismatchKey) => {
      const standing = this.#standing.get(key);
      const found = standing ?? this.dust.of(key);
      if (!found || found.since < sentAt) return true;
      const asset = key === 'mUSD' ? key : symbol;
      return !standing && isDust(asset, found.gap, amountOf(this.#context, order, key));
    };
    if (this.runs === 0 || !explained(assetOf(order))) return false;
    if (!explained(symbol) && (side === 'sell' || !this.#hasGrown(symbol))) return false;
    const buys = side === 'sell' ? buysOf(this.#context, symbol).filter(({ claim }) => !claim) : [];
    const sold = exactShares(order.terms) ?? 0n;
    if (buys.length > 0 && mayBringJust(this.#context, buys, sold) && !explained('mUSD')) return false;
    // A deferred sell only shows in the debt and in its proceeds.
    if (!isDeferred(order.terms)) return true;
    return this.#hasDebts && explained('mUSD') && explained(keyOf({ side: 'debt', asset: symbol }));
  }

  /** True if the venue has had a surplus of a stock for long enough and a due dividend explains it. */
  #hasGrown(symbol: Ticker): boolean {
    const standing = this.#standing.get(symbol);
    if (!standing || this.#context.now - standing.since < SETTLE_MS) return false;
    return this.#actions.isGrowth(standing.mismatch);
  }

  /**
   * True if the last comparison showed the venue to exceed the ledger by exactly these amounts: an amount that is dust
   * next to an order's locked money may be all that its settlement moved.
   */
  hasMoved(changes: readonly (readonly [Asset, bigint])[]): boolean {
    return changes.every(([asset, amount]) => this.gapOf(asset) === amount);
  }

  /** Amount by which the venue exceeded the ledger at the last comparison; negative if it had less. */
  gapOf(asset: Asset): bigint {
    return this.#standing.get(asset)?.gap ?? 0n;
  }

  /** mUSD missing at the venue by a counted difference. */
  get #missingMoney(): bigint {
    const { reported = null } = this.#standing.get('mUSD') ?? {};
    return reported !== null && reported < 0n ? -reported : 0n;
  }

  /** Updates a difference, and counts it when due. `isMoving`: orders under way explain it exactly. */
  #stand(mismatch: Mismatch, isMoving: boolean): void {
    const { now } = this.#context;
    const key = keyOf(mismatch);
    const earliest = earliestOf(this.#context, mismatch);
    const standing = standingOf(mismatch, this.#standing.get(key), { now, earliest });
    const { gap, reported, astray } = standing;
    this.#standing.set(key, standing);
    if (isMoving && standing.explainable) return;
    if (reported === gap || this.#actions.mayExplain(mismatch, astray)) return;
    const patience = standing.explainable ? EXPLAINABLE_MS : SETTLE_MS;
    if (now - standing.since < patience && !isDrifting(standing, now)) return;
    this.#standing.set(key, { ...standing, reported: gap, astray: now, beyond: now });
    this.#count(mismatch);
  }

  #count(mismatch: Mismatch): void {
    const { side, asset, expected, actual } = mismatch;
    this.found++;
    if (side === 'venue' && !isToken(asset)) this.#context.reads.unshown.delete(asset);
    const where = side === 'venue' ? {} : { side };
    this.#context.record({ kind: 'difference', asset, ...where, expected, actual });
    const stop =
      side === 'venue' && asset === 'mUSD'
        ? ': no buy is sent until they agree, or until `drover accept mUSD --reason TEXT` takes the difference over'
        : '';
    this.#context.alarm(
      `difference ${keyOf(mismatch)}`,
      `difference in ${describeMismatch(mismatch)}${stop}`,
      { code: 'DIFFERENCE', symbol: isToken(asset) || asset === 'mUSD' ? undefined : asset },
    );
    // A difference in the wallet or in a debt cannot make an order wrong.
    if (side === 'venue' && asset !== 'mUSD' && !isToken(asset)) this.#context.freeze(asset, DIFFERENCE);
  }
}

const isAtVenue = ({ side }: Mismatch): boolean => side === 'venue';

/** Shares by stock that are missing in the wallet, or owed beyond what orders under way explain. */
function uncoveredIn(mismatches: readonly Mismatch[]): ReadonlyMap<Holding, bigint> {
  const uncovered = new Map<Holding, bigint>();
  for (const { side, asset, shortfall, surplus } of mismatches) {
    const amount = side === 'wallet' ? shortfall : side === 'debt' ? surplus : 0n;
    if (amount > 0n) uncovered.set(asset, (uncovered.get(asset) ?? 0n) + amount);
  }
  return uncovered;
}

/**
 * Assets for which the venue shows exactly what orders under way bring: shares of buys, money of sells, and less money
 * where its shares have arrived. The order list may lag by minutes; the account shows their effect at once.
 */
function movingAssets(context: EngineContext, mismatches: readonly Mismatch[]): ReadonlySet<Holding> {
  const moving = new Set<Holding>();
  const unseen = ordersOf(context).filter((order) => !isResting(order));
  let [paid, earned] = [0n, 0n];
  for (const { terms } of unseen) if (terms.side === 'sell') earned += mostWorth(context, terms);
  for (const { asset, expected, actual } of mismatches) {
    if (asset === 'mUSD' || isToken(asset) || actual < expected) continue;
    const buys = buysOf(context, asset);
    if (!mayBringJust(context, buys, actual - expected)) continue;
    moving.add(asset);
    paid += sum(buys.filter((order) => !isResting(order)).map(({ reserve }) => reserve));
  }
  const money = mismatches.find(({ asset }) => asset === 'mUSD');
  const gap = money ? money.actual - money.expected : 0n;
  if (money && gap >= -paid && gap <= earned) moving.add('mUSD');
  return moving;
}

/** Orders that were sent and have not ended. */
const ordersOf = ({ accountState }: EngineContext): Order[] =>
  [...accountState.live.values()].filter(({ state }) => state.kind !== 'planned');

const isResting = ({ state, claim }: Order): boolean => state.kind === 'working' && !claim;

const buysOf = (context: EngineContext, symbol: Asset): Order[] =>
  ordersOf(context).filter(({ terms }) => terms.side === 'buy' && terms.symbol === symbol);

/** True if buys may have brought exactly this many shares: resting ones in full or not at all, others any part. */
function mayBringJust(context: EngineContext, buys: readonly Order[], amount: bigint): boolean {
  const unseen = buys.filter((order) => !isResting(order));
  const most = sum(unseen.map(({ terms }) => mostShares(context, terms)));
  return partialSums(buys.filter(isResting)).some((whole) => amount >= whole && amount <= whole + most);
}

/** Maximum number of resting orders per stock whose fills are tried in all combinations. */
const RESTING_MAX = 8;

/** Shares that resting buys may have brought, each in full or not at all. */
function partialSums(resting: readonly Order[]): readonly bigint[] {
  let sums = [0n];
  for (const { terms } of resting.slice(0, RESTING_MAX))
    sums = [...sums, ...sums.map((before) => before + (exactShares(terms) ?? 0n))];
  return sums;
}

/** Factor by which a price may differ from the latest quote. */
const PRICE_FACTOR = 2n;

function mostShares({ market }: EngineContext, terms: OrderTerms): bigint {
  const exact = exactShares(terms);
  if (exact !== null || !('notional' in terms)) return exact ?? 0n;
  const price = market.price(terms.symbol);
  return price === null || price === 0n ? 0n : PRICE_FACTOR * sharesFor(terms.notional, price, 'up');
}

function mostWorth({ market }: EngineContext, terms: OrderTerms): bigint {
  const price = terms.type === 'limit' ? terms.price : market.price(terms.symbol);
  return price === null ? 0n : PRICE_FACTOR * notionalOf(exactShares(terms) ?? shares(0n), price, 'up');
}

/** Maximum amount of an asset that an order takes or brings; 0 if it does not move it. */
function amountOf(context: EngineContext, { terms, reserve }: Order, key: MismatchKey): bigint {
  if (key === 'mUSD') return terms.side === 'buy' ? reserve : mostWorth(context, terms);
  return key === terms.symbol ? mostShares(context, terms) : 0n;
}

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n);

/**
 * `earliest`: send time of the first order that may explain it. An explainable gap from before that came from orders that have
 * ended since, even if it is the same to the last digit, as for equal slices: it starts again.
 */
function standingOf(
  mismatch: Mismatch,
  known: GapState | undefined,
  { now, earliest }: Readonly<{ now: EpochMs; earliest: number }>,
): GapState {
  const { actual, expected, explainable } = mismatch;
  const gap = actual - expected;
  const isAstray = known !== undefined && known.reported !== gap;
  const isExplainable = explainable && (known?.explainable ?? true);
  const from = (since: EpochMs) => (isExplainable && since < earliest ? now : since);
  return {
    gap,
    since: known?.gap === gap ? from(known.since) : now,
    reported: known?.reported ?? null,
    astray: isAstray ? from(known.astray) : now,
    beyond: isAstray && !isExplainable ? known.beyond : now,
    explainable: isExplainable,
    mismatch,
  };
}

/** True for a difference that has kept changing for too long, by at least the amount reported. */
function isDrifting({ gap, reported, astray, beyond }: GapState, now: EpochMs): boolean {
  if (reported !== null && magnitude(gap - reported) < magnitude(reported)) return false;
  return now - astray >= DRIFTS * EXPLAINABLE_MS || now - beyond >= DRIFTS * SETTLE_MS;
}

/** Send time of the first order under way that can have moved an asset at the venue; -Infinity if there is none. */
function earliestOf(context: EngineContext, { side, asset }: Mismatch): number {
  const moving = ordersOf(context).filter(
    (order) => !isResting(order) && (assetOf(order) === asset || assetReceived(order) === asset),
  );
  if (side !== 'venue' || moving.length === 0) return -Infinity;
  return Math.min(...moving.map(({ state, plannedAt }) => ('at' in state ? state.at : plannedAt)));
}

/** Books the free shares of each strategy as lost, and ends its intents that wait for a price of the stock. */
export function writeOff(context: EngineContext, intents: OpenIntents, { symbol, why }: WriteOffEvent): void {
  const { accountState } = context;
  for (const intent of [...accountState.intents.values()])
    if (intent.symbol === symbol && !accountState.open.has(intent.id))
      intents.end(intent.id, 'dropped', { code: 'WRITTEN_OFF', why: `${symbol}: ${why}` });
  for (const strategyId of accountState.allocations.keys()) {
    const quantity = shares(accountState.ledger.balance(strategyId, 'free', symbol));
    if (quantity > 0n)
      context.record({
        kind: 'writtenOff',
        strategyId,
        symbol,
        quantity,
        value: worth(context, symbol, quantity),
        why,
      });
  }
}
