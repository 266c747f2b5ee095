import type { EpochMs } from '../../core/brand.ts';
import { hasEndedAtVenue } from '../../domain/account/hiddenAmounts.ts';
import { duplicateOf } from '../../domain/orders/reportMatching.ts';
import type { OrderReport, UnreadableRow } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';

/** Maximum number of new external orders recorded from one list, and at once; each is a journal entry. */
const KEPT_PER_LIST = 100;
const KEPT_AT_ONCE = 1_000;
/** Milliseconds after which one more may be recorded: a past flood of rows delays a genuine one by at most this. */
const ROOM_EACH_MS = 86_400;
/** Maximum number of rows named in an alarm; the rest are counted. */
const NAMED_MAX = 3;
/** Maximum number of unreadable rows remembered, so that each is reported once. */
const KNOWN_MAX = 1_000;
/** Number of consecutive lists that could not be read to their end before an alarm. */
const BROKEN_MAX = 3;

const PROBLEM = 'order list';

/**
 * External and unreadable rows of the order list, and the check that the list is complete. However many rows a venue
 * invents, a bounded number is kept and named, and the rest are counted. A list with rows left out does not count as
 * read, and nothing is sent while that lasts.
 */
export class OrderList {
  readonly #context: EngineContext;
  /** Rows reported as unreadable, by transaction or by reason. */
  readonly #reported = new Set<string>();
  /** New external orders recorded from this list, by transaction. */
  #externals: string[] = [];
  /** New external orders of this list that did not fit, the first by transaction. */
  #leftOut: Sample = NONE;
  /** Orders recorded since rows were left out, and not reported one by one. */
  #recorded: Sample = NONE;
  /** New unreadable rows of this list. */
  #unreadableRows: string[] = [];
  #unreadableSeen = 0;
  /** Number of new external orders that use up room, as of a time. */
  #taken: { at: EpochMs | null; orders: number } = { at: null, orders: 0 };
  /** True from a list with rows left out until one is read to its end. */
  #isOverflowing = false;
  /** Number of consecutive incomplete lists, and the time at which the first of them was requested. */
  #broken: { since: EpochMs; lists: number } | null = null;

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Journals an external order when it appears, when it shows its terms, and when it has ended. */
  external(report: OrderReport): void {
    const { accountState } = this.#context;
    // An unknown status word is not an end; in the history, where nothing is locked, it is not an open order either.
    const isOpen = report.status === 'unrecognised' ? report.locked !== null : !hasEndedAtVenue(report);
    const known = accountState.external.get(report.txHash);
    const before = accountState.opened === null || report.createdAt < accountState.opened.at;
    const showsTerms = report.terms !== null && !known?.report?.terms;
    if (known && !showsTerms && (isOpen || known.why === 'ended')) return;
    if (!known && ((before && !isOpen) || !this.#isKept(report.txHash))) return;
    const isDoubted = accountState.opened === null || !this.#areCounted || accountState.trading.isRestored;
    const doubt = this.#context.isStarting && !known && isDoubted ? ({ unaccepted: true } as const) : {};
    const why = isOpen ? 'open' : 'ended';
    this.#context.record({ kind: 'external', txHash: report.txHash, report, why, ...doubt });
    const twin = showsTerms && duplicateOf(report, accountState);
    if (twin)
      this.#context.freeze(
        twin.terms.symbol,
        `the venue has a second order just like ${twin.id}: ${report.txHash}`,
      );
  }

  /** True when external orders are expected, and only counted. */
  get #areCounted(): boolean {
    return this.#context.rules.external?.orders === 'count';
  }

  /** Counts a new external order. False if there is no room for it. */
  #isKept(txHash: string): boolean {
    this.#makeRoom();
    if (this.#externals.length >= KEPT_PER_LIST || this.#taken.orders > KEPT_AT_ONCE - 1) {
      this.#leftOut = withOne(this.#leftOut, txHash);
      return false;
    }
    this.#taken.orders++;
    this.#externals.push(txHash);
    return true;
  }

  /** Frees room over time, but not when the clock is set back. */
  #makeRoom(): void {
    const { now } = this.#context;
    const elapsed = Math.max(now - (this.#taken.at ?? now), 0);
    this.#taken = { at: now, orders: Math.max(this.#taken.orders - elapsed / ROOM_EACH_MS, 0) };
  }

  /** Reports an unreadable row that is not one of our orders, once. */
  unreadable({ unreadable, reason, txHash }: UnreadableRow): void {
    const key = txHash ?? reason;
    if (this.#reported.has(key)) return;
    this.#unreadableSeen++;
    if (this.#unreadableRows.length < NAMED_MAX) this.#unreadableRows.push(unreadable);
    if (this.#reported.size < KNOWN_MAX) this.#reported.add(key);
  }

  /**
   * Finishes the reading of a list. `complete`: its pages came to an end and fitted together. False if nothing may be
   * concluded from the list, because it was incomplete or rows were left out.
   */
  read(complete: boolean, asked: EpochMs): boolean {
    const leftOut = this.#leftOut.count;
    if (!this.#context.problems.has(PROBLEM)) this.#reportUnreadable();
    this.#reportExternals();
    this.#standOrEnd({ complete, asked });
    this.#externals = [];
    this.#leftOut = NONE;
    this.#unreadableRows = [];
    this.#unreadableSeen = 0;
    return complete && leftOut === 0;
  }

  /** Reports new external orders. While rows are left out, the problem covers them, and its end says how many were recorded. */
  #reportExternals(): void {
    const names = this.#externals;
    if (names.length === 0) return;
    const kind = this.#areCounted ? 'info' : 'alarm';
    if (this.#leftOut.count > 0 || this.#isOverflowing)
      for (const txHash of names) this.#recorded = withOne(this.#recorded, txHash);
    else if (names.length <= NAMED_MAX)
      for (const txHash of names) this.#context.notify(kind, `external order on this key: ${txHash}`);
    else
      this.#context.notify(
        kind,
        `${names.length} external orders on this key: ${listed(names, names.length)}`,
      );
  }

  #reportUnreadable(): void {
    const alarm = (text: string) => this.#context.notify('alarm', text, { code: 'EXTERNAL_ORDER' });
    if (this.#unreadableSeen === 0) return;
    if (this.#unreadableSeen <= NAMED_MAX)
      for (const text of this.#unreadableRows)
        alarm(`a row of the venue's order list is unreadable: ${text}`);
    else
      alarm(
        `rows of the venue's order list are unreadable: ${listed(this.#unreadableRows, this.#unreadableSeen)}`,
      );
  }

  #standOrEnd({ complete, asked }: Readonly<{ complete: boolean; asked: EpochMs }>): void {
    const isOverflowing = this.#leftOut.count > 0;
    if (complete && !isOverflowing) {
      this.#broken = null;
      return this.#end();
    }
    this.#broken = { since: this.#broken?.since ?? asked, lists: (this.#broken?.lists ?? 0) + 1 };
    if (isOverflowing) {
      this.#isOverflowing = true;
      return this.#stand(this.#tooMany(), TOO_MANY_ENDS);
    }
    // An incomplete first list proves nothing; later ones may have shifted while they were read.
    if (this.#context.reads.sweptAt === null || this.#broken.lists >= BROKEN_MAX)
      this.#stand(
        "the venue's order list does not come to an end, or its pages contradict each other",
        UNENDING_ENDS,
      );
  }

  #tooMany(): string {
    const { first, count } = this.#leftOut;
    const all = this.#externals.length + count;
    const were = count === 1 ? 'was' : 'were';
    const which = count < all ? `${count} of them` : count === 1 ? 'it' : 'they';
    const why =
      this.#externals.length >= KEPT_PER_LIST
        ? `at most ${KEPT_PER_LIST} of one order list are recorded`
        : `at most ${KEPT_AT_ONCE} are recorded at once and one every ${Math.round(ROOM_EACH_MS / 1_000)} s after that`;
    return (
      `${externalOrders(all)} ${all === 1 ? 'is' : 'are'} new on this key, and ${which} ${were} left out ` +
      `(${listed(first, count)}), because ${why}`
    );
  }

  /** Records the problem. `end`: the event that ends it, and the operator's remedy. */
  #stand(what: string, end: string): void {
    const { problems, holds } = this.#context;
    const text = `${what}: the order list counts as not read, and nothing is sent until ${end}`;
    const since = this.#broken?.since ?? this.#context.now;
    if (problems.stand(PROBLEM, { since, text }))
      this.#context.alarm(PROBLEM, text, { code: 'ORDERS_UNREADABLE' });
    holds.put('order list', what);
  }

  #end(): void {
    const { first, count } = this.#recorded;
    this.#isOverflowing = false;
    this.#recorded = NONE;
    if (this.#context.problems.end(PROBLEM) === undefined) return;
    this.#context.holds.lift('order list');
    const recorded =
      count > 0 ? `. Recorded meanwhile: ${externalOrders(count)} (${listed(first, count)})` : '';
    this.#context.allClear(PROBLEM, `the order list was read to its end again: sending continues${recorded}`);
  }
}

const TOO_MANY_ENDS =
  "all of its rows have been recorded. Look at the venue's own page: orders that it also shows are of another program, and " +
  'this runner needs a key of its own; if it does not show them, the lists are wrong, and sending continues by itself ' +
  'once they are right';
const UNENDING_ENDS =
  "one has been read to its end. Look at the venue's own page; where another program uses the same key, give this runner " +
  'one of its own';

/** A number of rows, with the names of the first. */
type Sample = Readonly<{ first: readonly string[]; count: number }>;
const NONE: Sample = { first: [], count: 0 };

const withOne = ({ first, count }: Sample, name: string): Sample => ({
  first: first.length < NAMED_MAX ? [...first, name] : first,
  count: count + 1,
});

const externalOrders = (count: number): string => `${count} external order${count === 1 ? '' : 's'}`;

/** Text with the first of `all`, and the number of the others. */
function listed(first: readonly string[], all: number): string {
  const named = first.slice(0, NAMED_MAX);
  const rest = all - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}
