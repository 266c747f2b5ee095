import type { JournalEntry } from '../domain/journalEvent.ts';

/**
 * JSON of records with bigints: `{"$n":"12"}` stands for `12n`. An object of the record that looks like that, as one of a
 * strategy's state may, gets one more `$` when written and loses it when read.
 */
export const encode = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return { $n: part.toString() };
    if (!isParts(part)) return part;
    const mark = markOf(part);
    return mark === null ? part : { [`$${mark}`]: part[mark] };
  });

/** Parses a line. Without a reviver, which would be called for each number and text of the thousands of lines of a start. */
export function decode(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('"$') ? restored(value) : value;
}

/** Amount that a body has for a name in a list of pairs, found without reading the rest; null where the name is not in it. */
export function pairedAmount(body: string, name: string): bigint | null {
  const mark = `[${JSON.stringify(name)},{"$n":"`;
  const at = body.indexOf(mark);
  if (at < 0) return null;
  const begins = at + mark.length;
  return BigInt(body.slice(begins, body.indexOf('"', begins)));
}

type Parts = Record<string, unknown>;

const isParts = (part: unknown): part is Parts => typeof part === 'object' && part !== null;

/** Restores marks in place: nothing else holds the value yet. */
function restored(part: unknown): unknown {
  if (!isParts(part)) return part;
  for (const key of Object.keys(part)) {
    const value = part[key];
    if (isParts(value)) part[key] = restored(value);
  }
  const mark = markOf(part);
  if (mark === null) return part;
  return mark === '$n' ? BigInt(String(part[mark])) : { [mark.slice(1)]: part[mark] };
}

/** Only key of an object, if it looks like the mark of a bigint. No list has such a key. */
function markOf(parts: Parts): string | null {
  const keys = Object.keys(parts);
  const [key] = keys;
  return key !== undefined && keys.length === 1 && /^\$+n$/.test(key) ? key : null;
}

/** Entry with its number. */
export type Line = JournalEntry & Readonly<{ seq: number }>;
