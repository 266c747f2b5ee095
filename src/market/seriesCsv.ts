import { newYorkTime } from '../calendar/index.ts';
import { dateOf, parseDay } from '../calendar/zone.ts';
import { DAY_MS, epochMs, toIso } from '../core/brand.ts';
import { ConfigError, InvalidValueError, messageOf } from '../core/errors.ts';
import { suggest } from '../core/suggest.ts';
import type { SeriesNeed } from '../strategy/datedSeries.ts';
import { isDayOfMonth, SECONDS_BELOW } from './csvBars.ts';
import type { SeriesColumns } from './datedSeries.ts';

/** File of a dated series: its name, for errors, and its text. */
export type SeriesFile = Readonly<{ file: string; text: string }>;

/** First column of every file. */
const KNOWN = 'known';

/**
 * Rows of a dated series from CSV. The first column, `known`, has the instant from which on a row may be used, never before that of
 * the row above: ISO 8601 with a zone, epoch seconds or ms, or a date, which counts from its end in New York. Of the others those
 * are read that are asked for; an empty number is NaN.
 * @throws {ConfigError} with file, line and column of what cannot be read
 */
export function readSeries({ file, text }: SeriesFile, need: SeriesNeed): SeriesColumns {
  const [header = '', ...lines] = text.replace('\uFEFF', '').split(/\r?\n/);
  const rows = new SeriesRows(file, header, need);
  lines.forEach((line, index) => {
    if (line.trim() !== '') rows.add(line, index + 2);
  });
  return rows.columns;
}

/** Rows of files, by what is read of them, because many backtests are run on one. */
const readBefore = new WeakMap<SeriesFile, Map<string, SeriesColumns>>();

type Given = Readonly<{
  id: string;
  needs: readonly SeriesNeed[];
  files: Readonly<Record<string, SeriesFile>>;
}>;

/**
 * The dated series that a strategy asks for, by name, from the files that it is given.
 * @throws {ConfigError} for a series without a file, a file that nothing asks for, and as `readSeries` does
 */
export function seriesOf({ id, needs, files }: Given): ReadonlyMap<string, SeriesColumns> {
  const details = { strategy: id };
  const names = needs.map(({ name }) => name);
  const lost = Object.keys(files).find((name) => !names.includes(name));
  if (lost !== undefined)
    throw new ConfigError(
      `${id} is given the series ${lost}, but asks for ${names.join(', ') || 'none'}: correct the name, or leave it out`,
      details,
    );
  return new Map(
    needs.map((need) => {
      const file = files[need.name];
      if (file) return [need.name, readOnce(file, need)] as const;
      throw new ConfigError(
        `${id} asks for the series ${need.name}, and is given no file. Name one: --series ${need.name}=FILE, or in a config ` +
          `series: { ${need.name}: FILE } beside its params`,
        details,
      );
    }),
  );
}

function readOnce(file: SeriesFile, need: SeriesNeed): SeriesColumns {
  const key = JSON.stringify([need.numbers, need.texts]);
  const known = readBefore.get(file) ?? new Map<string, SeriesColumns>();
  const columns = known.get(key) ?? readSeries(file, need);
  readBefore.set(file, known.set(key, columns));
  return columns;
}

type Column<Value> = Readonly<{ name: string; place: number; values: Value[] }>;

class SeriesRows {
  readonly #file: string;
  readonly #header: string;
  readonly #names: readonly string[];
  readonly #numbers: readonly Column<number>[];
  readonly #texts: readonly Column<string>[];
  readonly #known: number[] = [];

  constructor(file: string, header: string, { numbers = [], texts = [] }: SeriesNeed) {
    this.#file = file;
    this.#header = header;
    this.#names = (fieldsOf(header) ?? []).map((name) => name.trim());
    if (this.#names[0] !== KNOWN)
      throw this.#error(
        1,
        `the header is "${header}": its first column must be ${KNOWN}, the time from which on a row counts`,
      );
    this.#numbers = numbers.map((name) => ({ name, place: this.#placeOf(name), values: [] }));
    this.#texts = texts.map((name) => ({ name, place: this.#placeOf(name), values: [] }));
  }

  get columns(): SeriesColumns {
    const byName = <Value>(columns: readonly Column<Value>[]) =>
      Object.fromEntries(columns.map(({ name, values }) => [name, values]));
    return { known: this.#known, numbers: byName(this.#numbers), texts: byName(this.#texts) };
  }

  add(text: string, line: number): void {
    const fields = fieldsOf(text);
    if (!fields)
      throw this.#error(
        line,
        'its quotation marks do not fit: write a text with a comma as "a, b", in one line',
      );
    if (fields.length !== this.#names.length)
      throw this.#error(
        line,
        `${fields.length} fields where the header has ${this.#names.length}: ${this.#header}`,
      );
    this.#known.push(this.#time(fields[0] ?? '', line));
    for (const { name, place, values } of this.#numbers)
      values.push(this.#number(fields[place] ?? '', { name, line }));
    for (const { place, values } of this.#texts) values.push((fields[place] ?? '').trim());
  }

  #time(field: string, line: number): number {
    let at: number;
    try {
      at = instantOf(field.trim());
    } catch (error) {
      throw this.#error(line, `${KNOWN} is "${field}": ${messageOf(error)}`);
    }
    const before = this.#known.at(-1) ?? -Infinity;
    if (at >= before) return at;
    throw this.#error(
      line,
      `${KNOWN} is ${toIso(epochMs(at))}, before ${toIso(epochMs(before))} of the row above: rows stand in the order in which ` +
        'they became known, and a date counts from its end in New York',
    );
  }

  #number(field: string, { name, line }: Readonly<{ name: string; line: number }>): number {
    const text = field.trim();
    if (text === '') return NaN;
    const value = /^[-+]?(\d+(\.\d*)?|\.\d+)(e[-+]?\d+)?$/i.test(text) ? Number(text) : NaN;
    if (Number.isFinite(value)) return value;
    throw this.#error(
      line,
      `${name} is "${field}", which is not a number: write a decimal such as 1.25, or leave it empty`,
    );
  }

  #placeOf(name: string): number {
    const place = this.#names.indexOf(name);
    if (this.#names.lastIndexOf(name) !== place)
      throw this.#error(1, `there are two columns ${name}: remove one`);
    if (place > 0) return place;
    const others = this.#names.slice(1);
    const meant = suggest(name, others);
    throw this.#error(
      1,
      `there is no column ${name}, which the strategy asks for${meant === undefined ? '' : `. Did you mean ${meant}?`} ` +
        `There are ${others.join(', ') || `none beside ${KNOWN}`}`,
    );
  }

  #error(line: number, what: string): ConfigError {
    return new ConfigError(`${this.#file}:${line}: ${what}`, { file: this.#file, line });
  }
}

/** Fields of a line, some in quotation marks; null where these do not fit. */
function fieldsOf(line: string): string[] | null {
  if (!line.includes('"')) return line.split(',');
  const fields: string[] = [];
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y;
  for (;;) {
    const found = field.exec(line);
    if (!found) return null;
    const [, quoted, plain = '', end] = found;
    fields.push(quoted?.replaceAll('""', '"') ?? plain);
    if (end === '') return fields;
  }
}

const FORMS = 'write ISO 8601 with a zone, as 2026-11-27T14:30:00Z, a date, or epoch seconds or ms';

/** @throws {InvalidValueError} for what is not a time */
function instantOf(text: string): number {
  if (/^\d{4}-\d{2}-\d{2}$/.test(text)) return endOfDay(text);
  if (/^\d+$/.test(text)) return Number(text) < SECONDS_BELOW ? Number(text) * 1000 : Number(text);
  const at = /^\d{4}-\d{2}-\d{2}T.*(Z|[+-]\d{2}:?\d{2})$/.test(text) ? Date.parse(text) : NaN;
  if (Number.isNaN(at)) throw new InvalidValueError(FORMS);
  if (!isDayOfMonth(text)) throw new InvalidValueError('its month has no such day');
  return at;
}

/** Midnight in New York that ends a day: nothing says when on that day it became known. */
const endOfDay = (date: string): number => newYorkTime(dateOf(parseDay(date) + DAY_MS), '00:00');
