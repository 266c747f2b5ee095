import { newYorkClock } from '../../calendar/index.ts';
import { NEW_YORK, zonesNamed, type Day, type Zone } from '../../calendar/zone.ts';
import { DAY_MS, epochMs } from '../../core/brand.ts';

/** Order of day, month and year in a date. */
export const DATE_ORDERS = ['dmy', 'mdy', 'ymd'] as const;
export type DateOrder = (typeof DATE_ORDERS)[number];

/**
 * Time as a file writes it. `at`: epoch ms of an instant that needs no zone. Otherwise the three numbers of a date as
 * written, of which one with four digits is the year; `clock`: ms since midnight, null for a date alone; `zones`:
 * possible meanings of its zone name, empty if there is none.
 */
export type Stamp = Readonly<
  | { at: number }
  | { numbers: readonly [number, number, number]; clock: number | null; zones: readonly Zone[] }
>;

const CLOCK = String.raw`(\d{1,2})(?::?(\d{2}))?(?::?(\d{2})(?:[.,](\d{1,9}))?)?\s*([ap]\.?\s?m\.?(?![a-z]))?`;
const ZONE = String.raw`(z|[a-z]{2,5}|(?:utc|gmt)?[+-]\d{1,2}(?::?\d{2})?|[a-z_]+\/[a-z_/+-]+\d*)`;
const AFTER = String.raw`(?:[t\s,;]*?(?:(?<=\d)[t\s,;]+)${CLOCK})?\s*${ZONE}?(?:\[[\w/]+\])?$`;
const NUMERIC = new RegExp(String.raw`^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,4})${AFTER}`, 'i');
const COMPACT = new RegExp(String.raw`^(\d{4})()(\d{2})(\d{2})${AFTER}`, 'i');
/** `Thu Jan 02 2025 09:30:00 GMT-0500 (Eastern Standard Time)`, as JavaScript writes it. */
const SCRIPTED = /^(.* gmt[+-]\d{4}) \(.*\)$/i;
/** Days since 1900 as in spreadsheets, with the time of day as a fraction. */
const SERIAL = /^\d{5}(\.\d+)?$/;
/** Days from the start of that count to 1970. */
const SERIAL_1970 = 25_569;
/** `20250714-13:30:00`, which is in UTC. */
const DASHED = /^(\d{8})-(\d{2}:\d{2}:\d{2})$/;
const LONG = /^(\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})?(\d{3})?$/;
const NAMED_CLOCK = new RegExp(
  String.raw`(?:^|[\st,])(\d{1,2}:\d{2}(?::\d{2}(?:[.,]\d+)?)?(?:\s*[ap]\.?m\.?)?)`,
  'i',
);

/** Bounds of epochs: 2000 to 2050. */
const [FIRST, LAST] = [Date.UTC(2000, 0, 1), Date.UTC(2051, 0, 1)];
const UNITS = [1e3, 1, 1e-3, 1e-6];

/** Time of a text; null if it is not a time, or not an existing date in any reading. */
export function stampOf(text: string): Stamp | null {
  if (/^\d{9,}(?:\.\d+)?$/.test(text)) return compactOf(text) ?? epochOf(Number(text));
  if (SERIAL.test(text)) return serialOf(text);
  const found = NUMERIC.exec(text) ?? COMPACT.exec(text);
  if (!found) {
    const scripted = SCRIPTED.exec(text)?.[1];
    if (scripted !== undefined) return stampOf(scripted);
    const [, day, clock] = DASHED.exec(text) ?? [];
    if (day !== undefined) return stampOf(`${day} ${clock ?? ''}Z`);
    return /[^\W\d_]/u.test(text.normalize('NFD')) || /\p{L}/u.test(text) ? namedOf(text) : null;
  }
  const [, first, mark, second, third, hour, minute, second2, fraction, half, zoneText] = found;
  const clock = hour === undefined ? null : clockOf([hour, minute, second2, fraction, half]);
  const zones = zoneText === undefined ? [] : zonesNamed(zoneText);
  if (clock !== null && Number.isNaN(clock)) return null;
  if (zoneText !== undefined && (zones.length === 0 || clock === null)) return null;
  const numbers = [Number(first), Number(second), Number(third)] as const;
  const [a, b, c] = numbers;
  const dots = mark === '.' && (first ?? '').length <= 2;
  if (dots) return withDay([third?.length === 2 ? 2000 + c : c, b, a], clock, zones);
  if (first?.length === 4) return withDay(numbers, clock, zones);
  if ((first ?? '').length > 2 || third?.length === 3 || third?.length === 1) return null;
  return DATE_ORDERS.some((order) => !Number.isNaN(dayIn(numbers, order))) ? { numbers, clock, zones } : null;
}

function withDay(
  numbers: readonly [number, number, number],
  clock: number | null,
  zones: readonly Zone[],
): Stamp | null {
  return Number.isNaN(dayIn(numbers, 'ymd')) ? null : { numbers, clock, zones };
}

/** Time of a spreadsheet's serial number, to the second; null outside the years of epochs. */
function serialOf(text: string): Stamp | null {
  const at = Math.round((Number(text) - SERIAL_1970) * (DAY_MS / 1e3)) * 1e3;
  if (at < FIRST || at >= LAST) return null;
  const date = new Date(at);
  const clock = text.includes('.') ? at % DAY_MS : null;
  return withDay([date.getUTCFullYear(), date.getUTCMonth() + 1, date.getUTCDate()], clock, []);
}

function compactOf(text: string): Stamp | null {
  const [, year, month, day, hour, minute, second = '00', ms] = LONG.exec(text) ?? [];
  if (year === undefined || !/^(19|20)/.test(year)) return null;
  const clock = clockOf([hour, minute, second, ms, undefined]);
  return Number.isNaN(clock) ? null : withDay([Number(year), Number(month), Number(day)], clock, []);
}

function epochOf(value: number): Stamp | null {
  for (const unit of UNITS) {
    const at = Math.round(value * unit);
    if (at >= FIRST && at < LAST) return { at };
  }
  return null;
}

type ClockText = readonly (string | undefined)[];

/** Milliseconds since midnight; NaN for a time that does not exist. */
function clockOf([hour = '', minute, second = '0', fraction = '', half]: ClockText): number {
  let hours = Number(hour);
  if (half !== undefined) {
    if (hours < 1 || hours > 12) return NaN;
    hours = (hours % 12) + (/^p/i.test(half) ? 12 : 0);
  } else if (minute === undefined) return NaN;
  const [minutes, seconds] = [Number(minute ?? '0'), Number(second)];
  if (hours > 23 || minutes > 59 || seconds > 59) return NaN;
  return ((hours * 60 + minutes) * 60 + seconds) * 1_000 + Math.floor(Number(`0.${fraction}0`) * 1_000);
}

/** Time with the name of the month, in any language of `monthNamed`. */
function namedOf(text: string): Stamp | null {
  const found = NAMED_CLOCK.exec(text);
  const [clockText] = found ? [found[1] ?? ''] : [];
  const rest = found ? `${text.slice(0, found.index)} ${text.slice(found.index + found[0].length)}` : text;
  const zoneText = found
    ? /((?:\b(?:GMT|UTC))?[+-]\d{2}:?\d{2}|\b[A-Z]{1,5}|[A-Za-z]+\/[A-Za-z_]+)(?=\s+\d{4}$|$)/.exec(rest)?.[1]
    : undefined;
  const zones = zoneText === undefined || monthNamed(zoneText) !== null ? [] : zonesNamed(zoneText);
  const words = (zones.length > 0 && zoneText ? rest.replace(zoneText, ' ') : rest).split(
    /[\s,./-]+|(?<=\d)(?=\p{L})|(?<=\p{L})(?=\d)/u,
  );
  const numbers = words.filter((word) => /^\d+$/.test(word));
  const names = words.filter((word) => /\p{L}/u.test(word));
  const months = names.map(monthNamed).filter((month) => month !== null);
  const others = names.filter((name) => monthNamed(name) === null && !isFiller(name));
  const [month] = months;
  if (month === undefined || months.length > 1 || numbers.length !== 2 || others.length > 0) return null;
  const [first = '', last = ''] = numbers;
  const [day, year] = first.length === 4 ? [last, first] : [first, last];
  if (day.length > 2 || (year.length !== 4 && year.length !== 2)) return null;
  const whole = year.length === 2 ? 2000 + Number(year) : Number(year);
  const clock =
    clockText === undefined ? null : (stampOf(`2000-01-01 ${clockText}`) as { clock?: number } | null)?.clock;
  return clock === undefined ? null : withDay([whole, month, Number(day)], clock, zones);
}

/** True for a weekday, and for words around a month: `2 de enero de 2025`, `January 2nd`. */
const isFiller = (word: string): boolean =>
  /^(de|del|of|st|nd|rd|th|um|at|le|the|er)$/i.test(word) || monthNamed.weekday(word);

/** Day of three numbers in an order; NaN if it does not exist. */
export function dayIn([a, b, c]: readonly [number, number, number], order: DateOrder): Day {
  const isYearFirst = a > 99 || order === 'ymd';
  if (isYearFirst && c > 99) return NaN;
  const [year, month, day] = isYearFirst ? [a, b, c] : order === 'mdy' ? [c, a, b] : [c, b, a];
  const at = Date.UTC(year < 100 ? 2000 + year : year, month - 1, day);
  return new Date(at).getUTCMonth() === month - 1 && day > 0 ? at : NaN;
}

/** Days of instants, inferred from the times of all of them; otherwise the index of the first that fits no day. */
export function daysOf(
  instants: readonly number[],
  zone: Zone | null,
  closes: (at: number) => boolean,
): Day[] | number {
  const isMidnight = (at: number) => at % DAY_MS === 0;
  const floor = (at: number, of: Zone) => Math.floor((at + of.offset(at)) / DAY_MS) * DAY_MS;
  if (zone) return instants.map((at) => floor(at, zone));
  if (instants.every(isMidnight)) return [...instants];
  const wrong = instants.findIndex((at) => {
    const clock = newYorkClock(epochMs(at));
    return !(clock <= LATEST_MIDNIGHT || clock === '09:30' || closes(at));
  });
  return wrong >= 0 ? wrong : instants.map((at) => floor(at, NEW_YORK));
}

/** Latest New York time at which it is midnight, on the same date, in a place further west. */
const LATEST_MIDNIGHT = '05:30';

/** Languages in which exporters write months and weekdays. */
const LANGUAGES = 'en de fr es it pt pl nl cs sk sv da nb fi tr ru uk hu ro el'.split(' ');
const MONTHS = 12;
const FIRST_SUNDAY = Date.UTC(2023, 0, 1);

const plain = (word: string): string =>
  word
    .normalize('NFD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/ł/g, 'l')
    .replace(/ı/g, 'i')
    .replace(/\.$/, '');

type Names = Readonly<{ months: ReadonlyMap<string, number>; weekdays: ReadonlySet<string> }>;

let names: Names | null = null;

/** Month number, from 1, of a name or abbreviation in any of the languages; null for any other word. */
function monthNamed(word: string): number | null {
  return all().months.get(plain(word)) ?? null;
}

/** True for the name or abbreviation of a weekday. */
monthNamed.weekday = (word: string): boolean => all().weekdays.has(plain(word));

/** Names in all languages; a word that means different months in two of them keeps the meaning of the first. */
function all(): Names {
  if (names) return names;
  const months = new Map<string, number>([
    ['sept', 9],
    ['mrz', 3],
    ['maerz', 3],
  ]);
  const weekdays = new Set<string>();
  const named = (type: 'month' | 'weekday', at: number, format: Intl.DateTimeFormat) =>
    plain(format.formatToParts(at).find((part) => part.type === type)?.value ?? '');
  for (const language of LANGUAGES)
    for (const style of ['long', 'short'] as const) {
      for (const options of [{ month: style }, { month: style, day: 'numeric' }] as const) {
        const format = new Intl.DateTimeFormat(language, { ...options, timeZone: 'UTC' });
        for (let month = 0; month < MONTHS; month++) {
          const name = named('month', Date.UTC(2023, month, 15), format);
          if (!months.has(name)) months.set(name, month + 1);
          const short = name.slice(0, 3);
          if (['en', 'de', 'pl'].includes(language) && !months.has(short)) months.set(short, month + 1);
        }
      }
      const format = new Intl.DateTimeFormat(language, { weekday: style, timeZone: 'UTC' });
      for (let day = 0; day < 7; day++) weekdays.add(named('weekday', FIRST_SUNDAY + day * DAY_MS, format));
    }
  return (names = { months, weekdays });
}
