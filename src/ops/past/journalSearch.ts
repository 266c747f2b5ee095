import { toJson } from '../../core/json.ts';
import { type JournalEvent, orderOf, SHOWN_KINDS } from '../../domain/journalEvent.ts';
import type { JournalReader } from '../../store/readJournal.ts';
import { recordOf } from '../../store/storedNames.ts';
import type { JournalFilter } from './question.ts';
import type { Line } from '../../store/codec.ts';

/** Maximum number of entries examined by one search: a page may have fewer than its limit without being the last. */
const LOOKED_AT_MAX = 100_000;

/** Page of entries, newest first. `next`: `before` of the next page; null at the beginning of the journal. */
export type JournalPage = Readonly<{ entries: readonly object[]; next: number | null }>;

/** Strategy and stock that an entry is about, whichever field names them. */
type Subject = Readonly<{ strategy: string | null; symbol: string | null }>;

/** Journal entries that pass a filter. */
export function searchJournal(
  reader: Pick<JournalReader, 'backwards' | 'ofKinds'>,
  filter: JournalFilter,
): JournalPage {
  const { kinds, before, limit } = filter;
  const entries: object[] = [];
  const isWanted = wantedBy(filter, subjectsIn(reader, filter));
  let looked = 0;
  // The file uses stored kinds: a current name is translated to its stored kind.
  for (const line of reader.backwards(kinds as readonly JournalEvent['kind'][] | null, before ?? Infinity)) {
    if (entries.length === limit || looked === LOOKED_AT_MAX) return { entries, next: line.seq + 1 };
    looked++;
    if (kinds === null && SHOWN_KINDS.has(line.fact.kind)) continue;
    if (isWanted(line)) entries.push(recordOf(line));
  }
  return { entries, next: null };
}

function wantedBy(
  { strategy, symbol, text }: JournalFilter,
  subjectOf: (line: Line) => Subject,
): (line: Line) => boolean {
  const word = text?.toLowerCase() ?? null;
  return (line) => {
    const subject = strategy === null && symbol === null ? null : subjectOf(line);
    return (
      (strategy === null || subject?.strategy === strategy) &&
      (symbol === null || subject?.symbol === symbol) &&
      (word === null || toJson(recordOf(line)).toLowerCase().includes(word))
    );
  };
}

/** Subjects of entries; those of orders and intents, whose later entries contain only their id, are looked up. */
function subjectsIn(
  reader: Pick<JournalReader, 'ofKinds'>,
  { strategy, symbol }: JournalFilter,
): (line: Line) => Subject {
  const known = new Map<string, Subject>();
  if (strategy !== null || symbol !== null)
    for (const { fact } of reader.ofKinds(['planned', 'intentCreated', 'syntheticPlaced'])) {
      const [id, subject] = namedIn(fact);
      if (id !== null) known.set(id, subject);
    }
  return ({ fact }) => {
    const [id, subject] = namedIn(fact);
    return (id === null ? undefined : known.get(id)) ?? subject;
  };
}

/** Id that an event is about, and the strategy and stock that it names directly. */
function namedIn(fact: JournalEvent): readonly [id: string | null, Subject] {
  const inner = INNER.map((name) => partsOf(fact, name)).find((parts) => parts !== null) ?? {};
  const named = (name: string) => textIn(inner, name) ?? textIn(fact, name);
  const symbol = textIn(partsOf(inner, 'terms') ?? {}, 'symbol') ?? named('symbol');
  return [orderOf(fact) ?? named('id'), { strategy: named('strategyId'), symbol }];
}

/** Parts of events that name the owner or stock. */
const INNER = ['intent', 'order', 'action', 'bar', 'transfer'];

const fieldOf = (of: object, name: string): unknown => (of as Readonly<Record<string, unknown>>)[name];

function partsOf(of: object, name: string): object | null {
  const value = fieldOf(of, name);
  return typeof value === 'object' ? value : null;
}

function textIn(of: object, name: string): string | null {
  const value = fieldOf(of, name);
  return typeof value === 'string' ? value : null;
}
