import { InvalidValueError } from '../core/errors.ts';
import { hashHex } from '../core/random.ts';
import type { SeriesHistory, SeriesRow } from '../strategy/datedSeries.ts';

/** Rows of a dated series in the order in which they became known; `known` in epoch ms. Columns of numbers or texts. */
export type SeriesColumns = Readonly<{
  known: number[];
  numbers: Readonly<Record<string, number[]>>;
  texts: Readonly<Record<string, string[]>>;
}>;

/** Rows of a dated series. Strategies get its `history`, which has only the rows known at an instant. */
export class DatedSeries {
  readonly history: SeriesHistory;
  readonly #until: () => number;
  #columns: SeriesColumns;
  /** Number of rows known at the last lookup: the next instant is usually close to it. */
  #count = 0;

  /** @param until returns the instant up to which rows are known */
  constructor(columns: SeriesColumns, until: () => number) {
    this.#columns = columns;
    this.#until = until;
    const length = () => this.length;
    this.history = Object.freeze({
      get length() {
        return length();
      },
      at: (back: number) => this.#at(back),
      latest: (texts?: Readonly<Record<string, string>>) => this.#latest(texts),
    });
  }

  /** All rows, including those not known yet. */
  get columns(): SeriesColumns {
    return this.#columns;
  }

  /** Number of rows known. */
  get length(): number {
    const { known } = this.#columns;
    const until = this.#until();
    while (this.#count < known.length && (known[this.#count] ?? NaN) <= until) this.#count++;
    while (this.#count > 0 && (known[this.#count - 1] ?? NaN) > until) this.#count--;
    return this.#count;
  }

  #at(back: number): SeriesRow | undefined {
    return Number.isInteger(back) && back >= 0 ? this.#row(this.length - 1 - back) : undefined;
  }

  #latest(texts: Readonly<Record<string, string>> = {}): SeriesRow | undefined {
    const wanted = Object.entries(texts).map(
      ([column, text]) => [columnIn(this.#columns.texts, column), text] as const,
    );
    for (let index = this.length - 1; index >= 0; index--)
      if (wanted.every(([column, text]) => column[index] === text)) return this.#row(index);
    return undefined;
  }

  /** Replaces all rows, as after a change of the file. */
  replace(columns: SeriesColumns): void {
    this.#columns = columns;
    this.#count = 0;
  }

  /** Appends rows to its columns, which must not be shared. */
  append({ known, numbers, texts }: SeriesColumns): void {
    for (const at of known) this.#columns.known.push(at);
    for (const [name, column] of Object.entries(numbers))
      for (const value of column) this.#columns.numbers[name]?.push(value);
    for (const [name, column] of Object.entries(texts))
      for (const text of column) this.#columns.texts[name]?.push(text);
  }

  #row(index: number): SeriesRow | undefined {
    const { known, numbers, texts } = this.#columns;
    const at = known[index];
    if (at === undefined) return undefined;
    return Object.freeze({
      known: at,
      number: (column: string) => columnIn(numbers, column)[index] ?? NaN,
      text: (column: string) => columnIn(texts, column)[index] ?? '',
    });
  }
}

function columnIn<Value>(columns: Readonly<Record<string, Value>>, name: string): Value {
  const column = Object.hasOwn(columns, name) ? columns[name] : undefined;
  if (column !== undefined) return column;
  throw new InvalidValueError(
    `there is no column "${name}" of this kind: data asks for ${Object.keys(columns).join(', ') || 'none'}`,
  );
}

/** @throws {InvalidValueError} for a series that `data` does not request */
export function seriesNamed(all: ReadonlyMap<string, DatedSeries>, name: string): DatedSeries {
  const series = all.get(name);
  if (series) return series;
  throw new InvalidValueError(
    `there is no series "${name}": data asks for ${[...all.keys()].join(', ') || 'none'}`,
  );
}

/** Rows `from` up to, but excluding, `to`. */
export const rowsOf = (
  { known, numbers, texts }: SeriesColumns,
  from: number,
  to: number,
): SeriesColumns => ({
  known: known.slice(from, to),
  numbers: mapped(numbers, (column) => column.slice(from, to)),
  texts: mapped(texts, (column) => column.slice(from, to)),
});

function mapped<Value, Made>(
  columns: Readonly<Record<string, Value>>,
  made: (column: Value) => Made,
): Record<string, Made> {
  return Object.fromEntries(Object.entries(columns).map(([name, column]) => [name, made(column)]));
}

/** Hashes of whole series, because many backtests use the same one. */
const hashes = new WeakMap<SeriesColumns, string>();

/** Hash of all rows, as 64 hex digits. */
export function hashRows(columns: SeriesColumns): string {
  const known = hashes.get(columns);
  if (known !== undefined) return known;
  const hash = hashHex(JSON.stringify(columns)).slice(2);
  hashes.set(columns, hash);
  return hash;
}
