import type { EpochMs } from '../core/brand.ts';
import { twinOf } from '../domain/attribution.ts';
import type { OrderReport, UnreadableRow } from '../domain/venue.ts';
import type { Desk } from './desk.ts';

/** Most orders of others that one list brings into the books, and that all lists of a day do: each is a journal entry. */
const KEPT_PER_LIST = 100;
const KEPT_PER_DAY = 1_000;
const DAY_MS = 86_400_000;
/** Most that are named one by one; of more, their number is. */
const NAMED_MAX = 3;
/** Unreadable rows that are known again. */
const KNOWN_MAX = 1_000;
/** Lists in a row that could not be read to their end, after which that is a problem of its own. */
const BROKEN_MAX = 3;

const PROBLEM = 'order list';

/**
 * The rows of the order list that are no order of this run, and whether the list as a whole can be believed. A venue may
 * make up as many as it likes: so many are kept and named, the rest are counted, and a list of which rows were left out does
 * not count as read. While that lasts, nothing is sent.
 */
export class OrderList {
  readonly #desk: Desk;
  /** Rows that were told as unreadable: by transaction, or by what cannot be read. */
  readonly #unreadable = new Set<string>();
  /** Of this list, as they are named. */
  #strangers: string[] = [];
  #strangersSeen = 0;
  #garbled: string[] = [];
  #garbledSeen = 0;
  #day: { since: EpochMs | null; kept: number } = { since: null, kept: 0 };
  /** Lists in a row that did not come to their end, and when the first of them was asked for. */
  #broken: { since: EpochMs; lists: number } | null = null;

  constructor(desk: Desk) {
    this.#desk = desk;
  }

  /** An order that is not ours: kept when it appears, again when it shows its terms, and when it has ended. */
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

  /** Counts an order of others that is new. False when there is no more room for it. */
  #isKept(txHash: string): boolean {
    const { now } = this.#desk;
    if (now - (this.#day.since ?? -Infinity) >= DAY_MS) this.#day = { since: now, kept: 0 };
    const hasRoom = this.#strangers.length < KEPT_PER_LIST && this.#day.kept < KEPT_PER_DAY;
    this.#strangersSeen++;
    if (!hasRoom) return false;
    this.#day.kept++;
    this.#strangers.push(txHash);
    return true;
  }

  /** A row that cannot be read and is no order of ours: reported once. */
  unreadable({ unreadable, reason, txHash }: UnreadableRow): void {
    const key = txHash ?? reason;
    if (this.#unreadable.has(key)) return;
    this.#garbledSeen++;
    if (this.#garbled.length < NAMED_MAX) this.#garbled.push(unreadable);
    if (this.#unreadable.size < KNOWN_MAX) this.#unreadable.add(key);
  }

  /**
   * Takes the list as read. `complete`: its pages came to an end and fitted together. False when nothing is to be
   * concluded from it, because they did not, or rows of it were left out.
   */
  read(complete: boolean, asked: EpochMs): boolean {
    const { problems } = this.#desk;
    const standing = problems.has(PROBLEM);
    const leftOut = this.#strangersSeen - this.#strangers.length;
    if (!standing) this.#tellRows(leftOut);
    this.#standOrEnd({ complete, leftOut, asked });
    this.#strangers = [];
    this.#garbled = [];
    [this.#strangersSeen, this.#garbledSeen] = [0, 0];
    return complete && leftOut === 0;
  }

  /** Rows left out are reported with the problem that they make. */
  #tellRows(leftOut: number): void {
    const tell = (text: string) => this.#desk.tell('alarm', text);
    if (leftOut === 0 && this.#strangers.length <= NAMED_MAX)
      for (const txHash of this.#strangers) tell(`an order that is not ours is on this key: ${txHash}`);
    else if (leftOut === 0)
      tell(
        `${this.#strangers.length} orders that are not ours are on this key: ${listed(this.#strangers, this.#strangersSeen)}`,
      );
    if (this.#garbledSeen === 0) return;
    if (this.#garbledSeen <= NAMED_MAX)
      for (const text of this.#garbled) tell(`a row of the venue's order list is unreadable: ${text}`);
    else tell(`rows of the venue's order list are unreadable: ${listed(this.#garbled, this.#garbledSeen)}`);
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
    // A first list that is not whole shows nothing at all; later ones may have moved while they were read.
    if (this.#desk.sweptAt === null || this.#broken.lists >= BROKEN_MAX)
      this.#stand("the venue's order list does not come to an end, or its pages contradict each other");
  }

  #tooMany(leftOut: number): string {
    const most =
      this.#day.kept >= KEPT_PER_DAY ? `${KEPT_PER_DAY} a day` : `${KEPT_PER_LIST} in one order list`;
    return (
      `${this.#strangersSeen} orders that are not ours are new on this key, and more than ${most} are not taken ` +
      `in (${leftOut} left out; ${listed(this.#strangers, this.#strangersSeen)})`
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
    this.#desk.tell('info', 'the order list has been read to its end again: sends go on');
  }
}

/** The first of `all`, and how many more there are. */
function listed(first: readonly string[], all: number): string {
  const named = first.slice(0, NAMED_MAX);
  const rest = all - named.length;
  return rest > 0 ? `${named.join(', ')} and ${rest} more` : named.join(', ');
}
