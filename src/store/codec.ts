import { formatDecimal, parsePrice, type Price } from '../core/amount.ts';
import { QUOTE_PHASES, type QuotePhase, type Ticker } from '../domain/instrument.ts';
import type { JournalEntry, JournalEvent, JournalEventOf } from '../domain/journalEvent.ts';

/**
 * JSON of records with bigints: `{"$n":"12"}` stands for `12n`. An object in the record that looks like that, for example
 * in a strategy's state, gets one more `$` when written and loses it when read.
 */
export const encode = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return { $n: part.toString() };
    if (!isParts(part)) return part;
    const mark = markOf(part);
    return mark === null ? part : { [`$${mark}`]: part[mark] };
  });

/** Parses a line. Uses no reviver, which would be called for each number and text of the thousands of lines of a start. */
export function decode(text: string): unknown {
  const value: unknown = JSON.parse(text);
  return text.includes('"$') ? restored(value) : value;
}

type Parts = Record<string, unknown>;

const isParts = (part: unknown): part is Parts => typeof part === 'object' && part !== null;

/** Restores marks in place: nothing else references the value yet. */
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

/** The only key of an object, if it looks like a bigint mark. No list has such a key. */
function markOf(parts: Parts): string | null {
  const keys = Object.keys(parts);
  const [key] = keys;
  return key !== undefined && keys.length === 1 && /^\$+n$/.test(key) ? key : null;
}

/** Entry with its number. */
export type Line<Kind extends JournalEvent['kind'] = JournalEvent['kind']> = Omit<JournalEntry, 'fact'> &
  Readonly<{ seq: number; fact: JournalEventOf<Kind> }>;

type Quotes = JournalEventOf<'quotes'>;

/** First words of quotes that were not passed to strategies, and of those at a start, which name no phase. */
const UNHEARD = 'unheard';
const START = 'start';

/**
 * Quotes as one text, `regular AAPL 208.31 MSFT 93.59`, starting with the phase. Quotes are most of a journal, and this takes a third of
 * the space of an object, as in journals of schema 7 and before.
 */
export function quotesText({ prices, phase }: Quotes): string {
  let text: string = phase === undefined ? START : (phase ?? UNHEARD);
  for (const [symbol, price] of prices) text += ` ${symbol} ${formatDecimal(price)}`;
  return text;
}

/** Parses quotes. @throws {SyntaxError} for an unknown phase @throws {InvalidValueError} for an invalid price */
export function quotesOf(text: string): Quotes {
  const [word = '', ...rest] = text.split(' ');
  const prices: [Ticker, Price][] = [];
  for (let at = 0; at < rest.length; at += 2)
    prices.push([rest[at] as Ticker, parsePrice(rest[at + 1] ?? '')]);
  return word === START
    ? { kind: 'quotes', prices }
    : { kind: 'quotes', prices, phase: word === UNHEARD ? null : phaseNamed(word) };
}

function phaseNamed(word: string): QuotePhase {
  const phase = QUOTE_PHASES.find((name) => name === word);
  if (phase) return phase;
  throw new SyntaxError(`"${word}" is no phase of quotes`);
}

/** Price of a stock in the body of quotes, found without parsing the rest; null if there is none. */
export function priceIn(body: string, symbol: string): Price | null {
  const isText = body.startsWith('"');
  const [mark, end] = isText ? [` ${symbol} `, /[ "]/g] : [`["${symbol}",{"$n":"`, /"/g];
  const at = body.indexOf(mark);
  if (at < 0) return null;
  end.lastIndex = at + mark.length;
  const text = body.slice(at + mark.length, end.exec(body)?.index);
  return isText ? parsePrice(text) : (BigInt(text) as Price);
}
