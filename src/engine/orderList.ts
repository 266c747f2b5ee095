import type { EpochMs } from '../core/brand.ts';
import { twinOf } from '../domain/attribution.ts';
import type { OrderReport, UnreadableRow } from '../domain/venue.ts';
import type { Desk } from './desk.ts';

/** Most new external orders that are taken in from one list, and in a day: each is a journal entry. */
const KEPT_PER_LIST = 100;
const KEPT_PER_DAY = 1_000;
const DAY_MS = 86_400_000;
/** Most rows that an alarm names one by one; the rest are counted. */
const NAMED_MAX = 3;
/** Most unreadable rows that are remembered, so that each is reported once. */
const KNOWN_MAX = 1_000;
/** Lists in a row that could not be read to their end before an alarm. */
const BROKEN_MAX = 3;

const PROBLEM = 'order list';

/**
 * External and unreadable rows of the order list, and the check that the list is complete. A venue may invent as many rows as
 * it likes: a bounded number is kept and named, the rest are counted, and a list with rows left out does not count as read.
 * While that lasts, nothing is sent.
 */
export class OrderList {
  readonly #desk: Desk;
  /** Rows reported as unreadable: by transaction, or by the reason. */
  readonly #reported = new Set<string>();
  /** New external orders and unreadable rows of this list, by name. */
  #externals: string[] = [];
  #externalsSeen = 0;
  #unreadableRows: string[] = [];
  #unreadableSeen = 0;
  #day: { since: EpochMs | null; kept: number } = { since: null, kept: 0 };
  /** Lists in a row that did not come to their end, and when the first of them was asked for. */
  #broken: { since: EpochMs; lists: number } | null = null;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** Journals an external order when it appears, when it shows its terms, and when it has ended. */
  external(report: OrderReport): void {
    const { books } = this.#desk;
    const isOpen = report.status === 'open' || report.status === 'canceling' || report.status === 'pending';
    const known = books.external.get(report.txHash);
    const before = books.opened === null || report.createdAt < books.opened.at;
    const showsTerms = report.terms !== null && !known?.report?.terms;
    if (known && !showsTerms && (isOpen || known.why === 'ended')) return;
    if (!known && ((before && !isOpen) || !this.#isKept(report.txHash))) return;
    const doubt = this.#desk.isStarting && !known ? ({ unaccepted: true } as const) : {};
    const why = isOpen ? 'open' : 'ended';
    this.#desk.record({ kind: 'external', txHash: report.txHash, report, why, ...doubt });
    const twin = showsTerms && twinOf(report, books);
    if (twin)
      this.#desk.freeze(
        twin.terms.symbol,
        `the venue has a second order just like ${twin.id}: ${report.txHash}`,
      );
  }

  /** Counts a new external order. False when the bound is reached. */
  #isKept(txHash: string): boolean {
    const { now } = this.#desk;
    if (now - (this.#day.since ?? -Infinity) >= DAY_MS) this.#day = { since: now, kept: 0 };
    const hasRoom = this.#externals.length < KEPT_PER_LIST && this.#day.kept < KEPT_PER_DAY;
    this.#externalsSeen++;
    if (!hasRoom) return false;
    this.#day.kept++;
    this.#externals.push(txHash);
    return true;
  }

  /** A row that cannot be read and is no order of ours: reported once. */
  unreadable({ unreadable, reason, txHash }: UnreadableRow): void {
    const key = txHash ?? reason;
    if (this.#reported.has(key)) return;
    this.#unreadableSeen++;
    if (this.#unreadableRows.length < NAMED_MAX) this.#unreadableRows.push(unreadable);
    if (this.#reported.size < KNOWN_MAX) this.#reported.add(key);
  }

  /**
   * Ends the reading of a list. `complete`: its pages came to an end and fitted together. False when nothing may be concluded
   * from the list: it was not complete, or rows of it were left out.
   */
  read(complete: boolean, asked: EpochMs): boolean {
    const { problems } = this.#desk;
    const standing = problems.has(PROBLEM);
    const leftOut = this.#externalsSeen - this.#externals.length;
    if (!standing) this.#reportRows(leftOut);
    this.#standOrEnd({ complete, leftOut, asked });
    this.#externals = [];
    this.#unreadableRows = [];
    [this.#externalsSeen, this.#unreadableSeen] = [0, 0];
    return complete && leftOut === 0;
  }

  /** Rows left out are reported with the problem that they make. */
  #reportRows(leftOut: number): void {
    const tell = (text: string) => this.#desk.tell('alarm', text);
    if (leftOut === 0 && this.#externals.length <= NAMED_MAX)
      for (const txHash of this.#externals) tell(`external order on this key: ${txHash}`);
    else if (leftOut === 0)
      tell(
        `${this.#externals.length} external orders on this key: ${listed(this.#externals, this.#externalsSeen)}`,
      );
    if (this.#unreadableSeen === 0) return;
    if (this.#unreadableSeen <= NAMED_MAX)
      for (const text of this.#unreadableRows) tell(`a row of the venue's order list is unreadable: ${text}`);
    else
      tell(
        `rows of the venue's order list are unreadable: ${listed(this.#unreadableRows, this.#unreadableSeen)}`,
      );
  }

  #standOrEnd({
    complete,
    leftOut,
    asked,
  }: Readonly<{ complete: boolean; leftOut: number; asked: EpochMs }>): void {
    if (complete && leftOut === 0) {
      this.#broken = null;
      return this.#end();
    }
    this.#broken = { since: this.#broken?.since ?? asked, lists: (this.#broken?.lists ?? 0) + 1 };
    if (leftOut > 0) return this.#stand(this.#tooMany(leftOut));
    // An incomplete first list proves nothing; later ones may have shifted while they were read.
    if (this.#desk.sweptAt === null || this.#broken.lists >= BROKEN_MAX)
      this.#stand("the venue's order list does not come to an end, or its pages contradict each other");
  }

  #tooMany(leftOut: number): string {
    const most =
      this.#day.kept >= KEPT_PER_DAY ? `${KEPT_PER_DAY} a day` : `${KEPT_PER_LIST} in one order list`;
    return (
      `${this.#externalsSeen} external orders are new on this key, and more than ${most} are not taken ` +
      `in (${leftOut} left out; ${listed(this.#externals, this.#externalsSeen)})`
    );
  }

  #stand(what: string): void {
    const { problems, holds } = this.#desk;
    const text = `${what}: the order list counts as not read, and nothing is sent until it does. Look at the venue; give this runner a key of its own`;
    const since = this.#broken?.since ?? this.#desk.now;
    if (problems.stand(PROBLEM, { since, text })) this.#desk.tell('alarm', text);
    holds.put('order list', what);
  }

  #end(): void {
    if (this.#desk.problems.end(PROBLEM) === undefined) return;
    this.#desk.holds.lift('order list');
    this.#desk.tell('clear', 'the order list has been read to its end again: sends go on');
  }
}

/** The first of `all`, and how many more there are. */
function listed(first: readonly string[], all: number): string {
  const named = first.slice(0, NAMED_MAX);
  const rest = all - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}
