import { toNumber, price as asPrice, type Price } from '../../core/amount.ts';
import { ACCOUNT_KINDS, AccountHistory } from '../../domain/account/history.ts';
import { rescalePrice } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import type { Valuation } from '../../engine/state/exposure.ts';
import { markOf, ownerMarks, stocksOf, type OwnerMarks } from '../../report/live/accountMarks.ts';
import { PastPrices } from '../../report/live/pastPrices.ts';
import { accountEntries } from '../../store/accountEntries.ts';
import type { Line } from '../../store/integrity.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import { NothingFound, type DayQuery } from './question.ts';

/** Time in ms from one point to the next, at least. */
const STEP_MS = 30_000;
const PAGE = 1_000;
const DAY_KINDS = [...ACCOUNT_KINDS, 'quotes', 'session'] as const satisfies readonly JournalEvent['kind'][];

/** Money of one strategy; null before it has any. */
type StrategyDay = Readonly<{ id: string; equity: (number | null)[]; capital: (number | null)[] }>;

/**
 * Money within one session, as float64 to draw. `capital`: what equity would be without trading, so that their difference is profit.
 * `strategies`: at the same times, where each is asked for.
 */
export type DayEquity = Readonly<{
  date: string;
  at: number[];
  equity: number[];
  capital: number[];
  strategies?: readonly StrategyDay[];
}>;

type Reader = Pick<JournalReader, 'backwards' | 'ofKinds' | 'ofKindsAfter' | 'lines'>;

/**
 * Equity of the account, or of one strategy, from the open of a session to its close or to the end of the journal.
 * @throws {NothingFound} when the journal has no such session
 */
export function dayEquity(reader: Reader, { date, strategy, each }: DayQuery): DayEquity {
  const open = openOf(reader, date);
  const account = new AccountHistory();
  for (const line of accountEntries(reader)) {
    if (line.seq >= open.seq) break;
    account.apply(line);
  }
  const day = new Day(account, reader, strategy);
  day.begin(open);
  for (const line of linesAfter(reader, open.seq)) {
    if (line.fact.kind === 'session' && line.fact.date !== open.date) break;
    day.take(line);
  }
  return { date: open.date, ...day.columns, ...(each && { strategies: [...day.strategies.values()] }) };
}

type Open = Readonly<{ seq: number; at: number; date: string }>;

/** First opening of a session: a start in mid-session writes another. */
function openOf(reader: Reader, date: string | null): Open {
  let found: Open | null = null;
  for (const { seq, at, fact } of reader.backwards(['session'], Infinity)) {
    if (fact.kind !== 'session' || fact.change !== 'opened') continue;
    if (found && fact.date !== found.date) return found;
    if (date === null || fact.date === date) found = { seq, at, date: fact.date };
  }
  if (found) return found;
  throw new NothingFound(
    date === null ? 'the journal has no session yet' : `the journal has no session of ${date}`,
  );
}

function* linesAfter(reader: Reader, seq: number): Generator<Line> {
  for (let after = seq; ;) {
    const page = reader.ofKindsAfter(after, DAY_KINDS, PAGE);
    yield* page;
    if (page.length < PAGE) return;
    after = page.at(-1)?.seq ?? Infinity;
  }
}

/** Account and prices within a session. */
class Day {
  readonly columns: Pick<DayEquity, 'at' | 'equity' | 'capital'> = { at: [], equity: [], capital: [] };
  readonly strategies = new Map<string, StrategyDay>();
  readonly #prices = new Map<Ticker, Price>();
  readonly #account: AccountHistory;
  readonly #reader: Reader;
  readonly #strategy: string | null;
  /** False after a close: what comes then is not of the session, unless a later start opens it again. */
  #isOpen = true;

  constructor(account: AccountHistory, reader: Reader, strategy: string | null) {
    this.#account = account;
    this.#reader = reader;
    this.#strategy = strategy;
  }

  /** Takes the prices of before the open. */
  begin({ seq, at }: Open): void {
    const { account } = this.#account;
    const before = new PastPrices(this.#reader);
    const held = stocksOf(account).filter((symbol) => account.ledger.total(symbol) !== 0n);
    before.learn(held, seq);
    for (const symbol of held) {
      const known = before.price(symbol);
      if (known !== null) this.#prices.set(symbol, known);
    }
    this.#mark(at);
  }

  take(line: Line): void {
    const { at, fact } = line;
    if (fact.kind === 'quotes') for (const [symbol, quoted] of fact.prices) this.#prices.set(symbol, quoted);
    else if (fact.kind !== 'session') this.#account.apply(line);
    else this.#isOpen = fact.change === 'opened';
    if (fact.kind === 'split') {
      const { symbol } = fact.action;
      const known = this.#prices.get(symbol);
      if (known !== undefined) this.#prices.set(symbol, asPrice(rescalePrice(known, fact.action)));
    }
    const isDue = this.#isOpen && at - (this.columns.at.at(-1) ?? 0) >= STEP_MS;
    if (fact.kind === 'session' || isDue) this.#mark(at);
  }

  #mark(at: number): void {
    const market = { price: (symbol: Ticker) => this.#prices.get(symbol) ?? null };
    const valuation: Valuation = { accountState: this.#account.account, market };
    const marks = ownerMarks(valuation);
    const own = markOf(marks, this.#strategy === null ? null : [this.#strategy]);
    if (!own) return;
    this.#markEach(marks);
    this.columns.at.push(at);
    this.columns.equity.push(toNumber(own.equity));
    this.columns.capital.push(toNumber(own.capital));
  }

  #markEach({ strategies }: OwnerMarks): void {
    const before = () => this.columns.at.map(() => null);
    for (const [id, { equity, capital }] of strategies) {
      const known = this.strategies.get(id) ?? { id, equity: before(), capital: before() };
      known.equity.push(toNumber(equity));
      known.capital.push(toNumber(capital));
      this.strategies.set(id, known);
    }
  }
}
