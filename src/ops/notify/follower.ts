import type { EngineContext } from '../../engine/state/engineContext.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import type { Status } from '../model/status.ts';
import { daySummary } from './daySummary.ts';
import { journalText, WATCHED_KINDS, type JournalText } from './journalTexts.ts';
import type { Outbox } from './outbox.ts';
import type { Line } from '../../store/codec.ts';

/** Inputs of the follower: the journal, and the state for the day's summary. */
export type FollowedRun = Readonly<{
  reader: Pick<JournalReader, 'ofKindsAfter' | 'history' | 'tipAt'>;
  /** Number of the journal's last entry. */
  length: () => number;
  context: EngineContext;
  status: () => Status;
}>;

/** Key under which a queue stores the journal position: the number of an entry, and its checksum. */
const CURSOR = 'cursor';
/** Number of entries read at once: the run waits for them, a few milliseconds. */
const PAGE = 100;

/**
 * Follows the journal from the entry after the last one turned into messages. That number is stored with the messages, so that a
 * kill loses none: entries not queued before it are read again.
 */
export class JournalFollower {
  readonly #outbox: Outbox;
  readonly #say: (text: JournalText, line: Line, sum: string) => void;
  #seq = 0;
  /** Number of the last entry from earlier processes. */
  #oldUntil = 0;

  constructor(outbox: Outbox, say: (text: JournalText, line: Line, sum: string) => void) {
    this.#outbox = outbox;
    this.#say = say;
  }

  /**
   * Must be called before the run writes anything. Returns false if the journal is not the one followed before: its current
   * entries are then skipped, and only later ones followed.
   */
  begin({ reader, length }: Pick<FollowedRun, 'reader' | 'length'>): boolean {
    this.#oldUntil = length();
    const kept = this.#outbox.value(CURSOR);
    const at = this.#keptIn(reader);
    this.#seq = at ?? this.#oldUntil;
    if (at === null) this.#keep(reader);
    return at !== null || kept === null;
  }

  /** Goes back to the stored position, once a queue that was unreadable at first has it: later entries are reread. */
  goBack(reader: FollowedRun['reader']): void {
    this.#seq = Math.min(this.#keptIn(reader) ?? this.#seq, this.#seq);
    this.#keep(reader);
  }

  /** Number of the last entry that an earlier process reported; null if this journal does not contain it. */
  #keptIn(reader: FollowedRun['reader']): number | null {
    const [, seq, sum] = /^(\d+) (.*)$/.exec(this.#outbox.value(CURSOR) ?? '') ?? [];
    return seq !== undefined && (reader.tipAt(Number(seq))?.sum ?? '') === sum ? Number(seq) : null;
  }

  /** Reads new entries, at most a page. Returns false if there are more. */
  pump({ reader, length, context, status }: FollowedRun): boolean {
    const end = length();
    const lines = reader.ofKindsAfter(this.#seq, WATCHED_KINDS, PAGE);
    for (const line of lines) {
      const isOld = line.seq <= this.#oldUntil;
      const { fact } = line;
      const text =
        fact.kind === 'session' && fact.change === 'closed'
          ? daySummary(fact, context, status())
          : journalText(line, { isOld, history: (id) => reader.history(id) });
      if (text !== null) this.#say(text, line, reader.tipAt(line.seq)?.sum ?? '');
    }
    const isEnd = lines.length < PAGE;
    this.#seq = Math.max(this.#seq, isEnd ? end : 0, lines.at(-1)?.seq ?? 0);
    this.#keep(reader);
    return isEnd;
  }

  #keep(reader: FollowedRun['reader']): void {
    this.#outbox.setValue(CURSOR, `${this.#seq} ${reader.tipAt(this.#seq)?.sum ?? ''}`);
  }
}
