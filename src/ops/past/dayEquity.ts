import { cash, toNumber, price as asPrice, type Price } from '../../core/amount.ts';
import { epochMs } from '../../core/brand.ts';
import { ACCOUNT_KINDS, AccountHistory } from '../../domain/account/history.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import { rescalePrice } from '../../domain/corporateAction.ts';
import type { Ticker } from '../../domain/instrument.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import { valuationOf } from '../../engine/state/exposure.ts';
import { markOf, ownerMarks, type OwnerMark, type OwnerMarks } from '../../report/live/accountMarks.ts';
import { PastPrices } from '../../report/live/pastPrices.ts';
import { accountEntries } from '../../store/accountEntries.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import type { DayEquity, StrategyDay } from '../model/past.ts';
import { NothingFound } from './question.ts';
import type { Line } from '../../store/codec.ts';

/** Minimum time in ms between two points. */
const STEP_MS = 30_000;
const DAY_KINDS = [...ACCOUNT_KINDS, 'quotes', 'session'] as const satisfies readonly JournalEvent['kind'][];

type Reader = Pick<JournalReader, 'backwards' | 'ofKinds' | 'lines'>;

/** Entry at which a session opened. */
export type SessionOpen = Readonly<{ seq: number; at: number; date: string }>;

/**
 * First opening of a session: a start in mid-session journals another.
 * @param date of the session in New York; null for the latest
 * @throws {NothingFound} when the journal has no such session
 */
export function sessionOpen(reader: Pick<Reader, 'backwards'>, date: string | null): SessionOpen {
  let found: SessionOpen | null = null;
  for (const { seq, at, fact } of reader.backwards(['session'], Infinity)) {
    if (fact.change !== 'opened') continue;
    if (found && fact.date !== found.date) return found;
    if (date === null || fact.date === date) found = { seq, at, date: fact.date };
  }
  if (found) return found;
  throw new NothingFound(
    date === null ? 'the journal has no session yet' : `the journal has no session of ${date}`,
  );
}

/** Equity of the account, or of one strategy, from a session's open to its close or the end of the journal. */
export class SessionEquity {
  readonly strategy: string | null;
  readonly open: SessionOpen;
  readonly #columns: Pick<DayEquity, 'at' | 'equity' | 'capital'> = { at: [], equity: [], capital: [] };
  readonly #strategies = new Map<string, StrategyDay>();
  readonly #prices = new Map<Ticker, Price>();
  readonly #account = new AccountHistory();
  readonly #reader: Reader;
  /** Number of the last entry processed. */
  #seq: number;
  /** True once another session has begun: nothing later belongs to this one. */
  #isOver = false;
  /** False after a close: later entries do not belong to the session, unless a later start reopens it. */
  #isOpen = true;

  constructor(reader: Reader, open: SessionOpen, strategy: string | null) {
    this.#reader = reader;
    this.open = open;
    this.strategy = strategy;
    this.#seq = open.seq;
    for (const line of accountEntries(reader)) {
      if (line.seq >= open.seq) break;
      this.#account.apply(line);
    }
    this.#begin(open);
  }

  /** Points up to the current end of the journal. @param each true to add those of each strategy */
  read(each: boolean): DayEquity {
    for (const line of this.#reader.ofKinds(DAY_KINDS, this.#seq)) {
      this.#isOver ||= line.fact.kind === 'session' && line.fact.date !== this.open.date;
      if (this.#isOver) break;
      this.#take(line);
      this.#seq = line.seq;
    }
    const { open } = this;
    const all = { date: open.date, ...this.#columns };
    return each ? { ...all, strategies: [...this.#strategies.values()] } : all;
  }

  /** Loads the prices known before the open, and marks it. */
  #begin({ seq, at }: SessionOpen): void {
    const { account } = this.#account;
    const before = new PastPrices(this.#reader);
    const held = account.ledger.heldStocks;
    before.learn(held, seq);
    for (const symbol of held) {
      const known = before.price(symbol);
      if (known !== null) this.#prices.set(symbol, known);
    }
    this.#mark(at, (owner) => account.actions.entitledAt(epochMs(at), owner));
  }

  #take(line: Line): void {
    const { at, fact } = line;
    if (fact.kind === 'quotes') for (const [symbol, quoted] of fact.prices) this.#prices.set(symbol, quoted);
    else if (fact.kind !== 'session') this.#account.apply(line);
    else this.#isOpen = fact.change === 'opened';
    if (fact.kind === 'split') {
      const { symbol } = fact.action;
      const known = this.#prices.get(symbol);
      if (known !== undefined) this.#prices.set(symbol, asPrice(rescalePrice(known, fact.action)));
    }
    const isDue = this.#isOpen && at - (this.#columns.at.at(-1) ?? 0) >= STEP_MS;
    if (fact.kind === 'session' || isDue) this.#mark(at);
  }

  /** @param within dividends due to an owner that are still part of the prices; default: none */
  #mark(at: number, within?: (owner: string) => bigint): void {
    const market = { price: (symbol: Ticker) => this.#prices.get(symbol) ?? null };
    const known = ownerMarks(valuationOf(this.#account.account, market));
    const marks = within ? markedWithout(known, within) : known;
    const own = markOf(marks, this.strategy === null ? null : [this.strategy]);
    if (!own) return;
    this.#markEach(marks);
    this.#columns.at.push(at);
    this.#columns.equity.push(toNumber(own.equity));
    this.#columns.capital.push(toNumber(own.capital));
  }

  #markEach({ strategies }: OwnerMarks): void {
    const before = () => this.#columns.at.map(() => null);
    for (const [id, { equity, capital }] of strategies) {
      const known = this.#strategies.get(id) ?? { id, equity: before(), capital: before() };
      known.equity.push(toNumber(equity));
      known.capital.push(toNumber(capital));
      this.#strategies.set(id, known);
    }
  }
}

/** Money of owners after deducting an amount from each one's equity. */
function markedWithout({ account, strategies }: OwnerMarks, of: (owner: string) => bigint): OwnerMarks {
  const without = (mark: OwnerMark, amount: bigint) => ({ ...mark, equity: cash(mark.equity - amount) });
  const all = [UNALLOCATED, ...strategies.keys()].reduce((sum, owner) => sum + of(owner), 0n);
  return {
    account: without(account, all),
    strategies: new Map([...strategies].map(([id, mark]) => [id, without(mark, of(id))])),
  };
}
