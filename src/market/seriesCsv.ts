import { newYorkTime } from '../calendar/index.ts';
import { dateOf } from '../calendar/zone.ts';
import { DAY_MS, epochMs, toIso } from '../core/brand.ts';
import { ConfigError } from '../core/errors.ts';
import { suggest } from '../core/suggest.ts';
import type { SeriesNeed } from '../strategy/datedSeries.ts';
import { SECONDS_BELOW } from './csvBars.ts';
import type { SeriesColumns } from './datedSeries.ts';
import { NumberCells } from './foreign/numbers.ts';
import { dayIn, stampOf, type DateOrder } from './foreign/stamps.ts';
import { ForeignTable } from './foreign/table.ts';
import { TimeColumn } from './foreign/timeColumn.ts';

/** File of a dated series: its name, for errors, and its text. */
export type SeriesFile = Readonly<{ file: string; text: string }>;

/** First column of every file. */
const KNOWN = 'known';

/**
 * Rows of a dated series from a table with any separator and decimal sign. The first column, `known`, has the instant
 * from which a row may be used, never earlier than in the row above: a time with a zone, epoch seconds or ms, or a
 * date, which counts from its end in New York. Other columns are read if requested; an empty number is NaN.
 * @throws {ConfigError} with file, line and column of an unreadable value, and if two readings fit
 */
export function readSeries(
  { file, text }: SeriesFile,
  { numbers = [], texts = [] }: SeriesNeed,
): SeriesColumns {
  const table = new ForeignTable(file, text);
  const names = (table.rows[0] ?? []).map((name) => name.trim());
  if (names[0] !== KNOWN)
    throw table.error(
      0,
      `the header is "${names.join(table.separator)}": its first column must be ${KNOWN}, the time from which a row counts`,
    );
  const rows = [...table.rows.keys()]
    .slice(1)
    .filter((row) => table.rows[row]?.some((cell) => cell.trim() !== ''));
  for (const row of rows) requireWidth(table, row, names.length);
  const placeOf = (name: string) => columnOf(table, names, name);
  return {
    known: knownOf(table, rows),
    numbers: Object.fromEntries(
      numbersOf(
        table,
        rows,
        numbers.map((name) => ({ name, column: placeOf(name) })),
      ),
    ),
    texts: Object.fromEntries(texts.map((name) => [name, rows.map((row) => table.cell(row, placeOf(name)))])),
  };
}

function requireWidth(table: ForeignTable, row: number, width: number): void {
  const count = table.rows[row]?.length ?? 0;
  if (count !== width)
    throw table.error(
      row,
      `${count} fields, but the header has ${width}: ${(table.rows[0] ?? []).join(table.separator)}`,
    );
}

/** Rows of files, by requested columns, because many backtests use the same file. */
const readBefore = new WeakMap<SeriesFile, Map<string, SeriesColumns>>();

type CsvOptions = Readonly<{
  id: string;
  needs: readonly SeriesNeed[];
  files: Readonly<Record<string, SeriesFile>>;
}>;

/**
 * Dated series that a strategy requests, by name, from the given files.
 * @throws {ConfigError} for a series without a file, a file that was not requested, and as `readSeries` does
 */
export function seriesOf({ id, needs, files }: CsvOptions): ReadonlyMap<string, SeriesColumns> {
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

/** Position of a column. @throws {ConfigError} if there is none, or two */
function columnOf(table: ForeignTable, names: readonly string[], name: string): number {
  const place = names.indexOf(name);
  if (names.lastIndexOf(name) !== place) throw table.error(0, `there are two columns ${name}: remove one`);
  if (place > 0) return place;
  const others = names.slice(1);
  const suggestion = suggest(name, others);
  throw table.error(
    0,
    `there is no column ${name}, which the strategy asks for${suggestion === undefined ? '' : `. Did you mean ${suggestion}?`} ` +
      `There are ${others.join(', ') || `none beside ${KNOWN}`}`,
  );
}

/** Numbers of columns, read with the decimal sign that they share. @throws {ConfigError} if that is uncertain */
function numbersOf(
  table: ForeignTable,
  rows: readonly number[],
  columns: readonly Readonly<{ name: string; column: number }>[],
): [string, number[]][] {
  const cells = new NumberCells(table);
  const read = columns.map(({ name, column }): [string, number[]] => [
    name,
    rows.map((row) => cells.add({ row, column }, name)),
  ]);
  const decimal = cells.decimal(null);
  if (decimal === 'point') return read;
  if (decimal === 'comma')
    return columns.map(({ name, column }) => [name, rows.map((row) => cells.read({ row, column }, decimal))]);
  throw table.error(
    decimal.row,
    `"${table.cell(decimal.row, decimal.column)}" has thousands or decimals, which cannot be told apart: write it without a thousands separator`,
  );
}

const FORMS = 'write ISO 8601 with a zone, as 2026-11-27T14:30:00Z, a date, or epoch seconds or ms';

/** Text of a time as written; an epoch before 2000, which the bar reader does not accept, as ISO 8601. */
function timeOf(cell: string): string {
  if (!/^\d{9,12}$/.test(cell) || stampOf(cell)) return cell;
  return toIso(epochMs(Number(cell) < SECONDS_BELOW ? Number(cell) * 1000 : Number(cell)));
}

/** Times of the rows, epoch ms. @throws {ConfigError} for no time, no zone, or a time before that of the row above */
function knownOf(table: ForeignTable, rows: readonly number[]): number[] {
  const times = new TimeColumn(table, (row) => timeOf(table.cell(row, 0)));
  const wrong = (row: number, what: string) =>
    table.error(row, `${KNOWN} is "${table.cell(row, 0)}": ${what}`);
  for (const row of rows) if (!times.add(row)) throw wrong(row, `that is no time; ${FORMS}`);
  const order = times.order(undefined);
  if (typeof order !== 'string')
    throw new ConfigError(`${table.file}: ${KNOWN} can be read in two ways; ${FORMS}`);
  let before = -Infinity;
  return rows.map((row, index) => {
    const at = knownAt(times, index, order);
    if (at === null) throw wrong(row, FORMS);
    if (at < before)
      throw table.error(
        row,
        `${KNOWN} is ${toIso(epochMs(at))}, before ${toIso(epochMs(before))} of the row above: rows must be in the order in which ` +
          'they became known, and a date counts from its end in New York',
      );
    return (before = at);
  });
}

/** Instant of a time; for a date, the New York midnight that ends it; null for a time of day without a single zone. */
function knownAt(times: TimeColumn, index: number, order: DateOrder): number | null {
  const stamp = times.stamps[index];
  if (!stamp) return null;
  if ('at' in stamp) return stamp.at;
  const day = dayIn(stamp.numbers, order);
  if (stamp.clock === null) return newYorkTime(dateOf(day + DAY_MS), '00:00');
  const { clock } = stamp;
  const [first = null, ...others] = stamp.zones.map((zone) => zone.instant(day, clock));
  return others.every((at) => at === first) ? first : null;
}
