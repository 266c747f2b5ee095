import { formatDecimal } from '../core/amount.ts';
import type { EpochMs } from '../core/brand.ts';
import { assetOf } from '../domain/books.ts';
import { compareAccount, type Mismatch } from '../domain/comparison.ts';
import type { Asset } from '../domain/ledger.ts';
import type { Order } from '../domain/order.ts';
import type { AccountReport } from '../domain/venue.ts';
import type { Desk } from './desk.ts';

/** A difference counts once it has stood unchanged for so long; settlements take their time. */
const SETTLE_MS = 30_000;
/** The same for one that orders under way could explain. */
const EXPLAINABLE_MS = 600_000;

type Standing = { readonly gap: bigint; readonly since: EpochMs; counted: boolean };

/** Compares the ledger with the venue at each account poll. It never changes the ledger to make them agree. */
export class Reconciling {
  readonly #desk: Desk;
  readonly #standing = new Map<Asset, Standing>();
  #mismatched: ReadonlySet<Asset> = new Set();
  runs = 0;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Assets on which ledger and venue have differed long enough to count, and still do. */
  get open(): Asset[] {
    return [...this.#standing].filter(([, { counted }]) => counted).map(([asset]) => asset);
  }

  /** Whether the last comparison found nothing at all. */
  get clean(): boolean {
    return this.runs > 0 && this.#mismatched.size === 0;
  }

  compare(report: AccountReport): void {
    this.runs++;
    const mismatches = compareAccount(this.#desk.books, report);
    const shortfalls = new Map(mismatches.map(({ asset, shortfall }) => [asset, shortfall]));
    this.#desk.account = { shortfalls, at: this.#desk.now };
    this.#mismatched = new Set(mismatches.map(({ asset }) => asset));
    for (const [asset, { counted }] of [...this.#standing]) {
      if (this.#mismatched.has(asset)) continue;
      this.#standing.delete(asset);
      if (counted) this.#desk.tell('info', `the difference in ${asset} is gone`);
    }
    for (const mismatch of mismatches) this.#stand(mismatch);
  }

  /**
   * Whether the account looks as it should if the order does not exist. A difference that has stood unchanged since before
   * it was sent is not its doing.
   */
  agreesWithout(order: Order): boolean {
    const sentAt = 'at' in order.state ? order.state.at : -Infinity;
    const explained = (asset: Asset) =>
      !this.#mismatched.has(asset) || (this.#standing.get(asset)?.since ?? Infinity) < sentAt;
    return this.runs > 0 && explained(assetOf(order)) && explained(order.terms.symbol);
  }

  #stand({ asset, expected, actual, explainable }: Mismatch): void {
    const gap = actual - expected;
    const known = this.#standing.get(asset);
    const standing = known?.gap === gap ? known : { gap, since: this.#desk.now, counted: false };
    this.#standing.set(asset, standing);
    const patience = explainable ? EXPLAINABLE_MS : SETTLE_MS;
    if (standing.counted || this.#desk.now - standing.since < patience) return;
    standing.counted = true;
    this.#desk.record({ kind: 'difference', asset, expected, actual });
    const text = `${asset}: the ledger says ${formatDecimal(expected)}, the venue ${formatDecimal(actual)}`;
    this.#desk.tell('alarm', `difference in ${text}`);
    if (asset !== 'mUSD') this.#desk.freeze(asset, 'ledger and venue differ');
  }
}
