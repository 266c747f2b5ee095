import { LiveHistory } from '../../report/live/liveHistory.ts';
import { readJournal, type JournalReader } from '../../store/readJournal.ts';
import { SessionEquity, sessionOpen } from './dayEquity.ts';
import type { DayEquity } from '../model/past.ts';
import type { DayQuery } from './question.ts';

/** A journal kept open for repeated questions: what was read is cached, and only new entries are read. */
export class KeptJournal {
  readonly file: string;
  readonly reader: JournalReader;
  #history: LiveHistory | null = null;
  /** The last requested session, by strategy; that of the account under null. */
  readonly #days = new Map<string | null, SessionEquity>();

  /** @throws {ConfigError} when it cannot be read */
  constructor(file: string) {
    this.file = file;
    this.reader = readJournal(file);
  }

  /** History up to the current end. */
  history(): LiveHistory {
    if (this.#history) this.#history.advance();
    return (this.#history ??= new LiveHistory(this.reader));
  }

  /** Equity within a session. @throws {NothingFound} when the journal has no such session */
  day({ date, strategy, each }: DayQuery): DayEquity {
    const open = sessionOpen(this.reader, date);
    const known = this.#days.get(strategy);
    if (known?.open.seq === open.seq) return known.read(each);
    const day = new SessionEquity(this.reader, open, strategy);
    this.#days.set(strategy, day);
    return day.read(each);
  }

  close(): void {
    this.reader.close();
  }
}

/** Keeps the most recently used journal open for the next question. */
export class JournalKeeper {
  #journal: KeptJournal | null = null;

  /** @throws {ConfigError} when it cannot be read */
  of(file: string): KeptJournal {
    if (this.#journal?.file !== file) this.close();
    return (this.#journal ??= new KeptJournal(file));
  }

  close(): void {
    this.#journal?.close();
    this.#journal = null;
  }
}
