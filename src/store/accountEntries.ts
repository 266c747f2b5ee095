import type { Price } from '../core/amount.ts';
import { ACCOUNT_KINDS } from '../domain/account/history.ts';
import type { Ticker } from '../domain/instrument.ts';
import type { JournalEvent } from '../domain/journalEvent.ts';
import type { JournalReader } from './readJournal.ts';
import type { Line } from './codec.ts';

/** Kinds of entries after which prices are no longer those of the opening. */
const TRADING: ReadonlySet<JournalEvent['kind']> = new Set(['started', 'intentCreated', 'planned', 'ended']);

/**
 * Entries that determine an account's history, oldest first. The opening has prices if the journal contains any: in journals of
 * 0.8.0 and before those of the first quotes of that start. Each entry's checksum is verified, not that none is missing.
 */
export function* accountEntries(reader: Pick<JournalReader, 'ofKinds' | 'lines'>): Generator<Line> {
  for (const line of reader.ofKinds(ACCOUNT_KINDS))
    yield line.fact.kind === 'opened' ? priced(line, reader) : line;
}

function priced(line: Line, reader: Pick<JournalReader, 'lines'>): Line {
  const { fact } = line;
  if (fact.kind !== 'opened' || fact.prices) return line;
  const prices = new Map<Ticker, Price>();
  for (const { seq, fact: later } of reader.lines()) {
    if (seq > line.seq && TRADING.has(later.kind)) break;
    if (later.kind !== 'quotes') continue;
    for (const [symbol, seen] of later.prices) if (!prices.has(symbol)) prices.set(symbol, seen);
  }
  return { ...line, fact: { ...fact, prices: [...prices] } };
}
