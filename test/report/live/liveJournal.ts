import { parsePrice } from '../../../src/core/amount.ts';
import { tradingCalendar } from '../../../src/calendar/index.ts';
import { UNALLOCATED } from '../../../src/domain/account/ledger.ts';
import type { Ticker } from '../../../src/domain/instrument.ts';
import type { JournalEntry } from '../../../src/domain/journalEvent.ts';
import { LiveHistory, type LiveJournal } from '../../../src/report/live/liveHistory.ts';
import { liveRecord, type LiveIdentity } from '../../../src/report/live/liveRecord.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { AccountJournal } from '../../domain/accountJournal.ts';

/** Reader of a journal in memory. */
export function readerOf(entries: readonly JournalEntry[]): LiveJournal {
  const lines = entries.map((entry, index) => ({ ...entry, seq: index + 1 }));
  return {
    *ofKinds(kinds) {
      yield* lines.filter(({ fact }) => kinds.includes(fact.kind));
    },
    *backwards(kinds, seq) {
      yield* lines.filter((line) => (kinds?.includes(line.fact.kind) ?? true) && line.seq < seq).reverse();
    },
  };
}

export const IDENTITY: LiveIdentity = {
  kind: 'live',
  account: '0xab on chain 143',
  params: new Map(),
  calendar: tradingCalendar,
};

/** Record of a journal: of the account, or of one strategy. */
export const recordOf = (entries: readonly JournalEntry[], owner: string | null = null): RunRecord =>
  liveRecord(new LiveHistory(readerOf(entries)), IDENTITY, owner === null ? null : [owner]);

/** Journal of an account that also has quotes and sessions. */
export class LiveDays extends AccountJournal {
  quote(prices: Readonly<Record<string, string>>): this {
    const quoted = Object.entries(prices).map(
      ([symbol, text]) => [symbol as Ticker, parsePrice(text)] as const,
    );
    return this.add({ kind: 'quotes', prices: quoted });
  }

  opens(date: string): this {
    return this.on(date, '09:30').add({
      kind: 'session',
      change: 'opened',
      date,
      equity: [[UNALLOCATED, 0n as never]],
    });
  }

  closes(date: string): this {
    return this.on(date, '16:00').add({ kind: 'session', change: 'closed', date, equity: [] });
  }
}
