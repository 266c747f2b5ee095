import type { ForeignTable } from './table.ts';

/** Sign before the decimals of a number. */
export const DECIMALS = ['point', 'comma'] as const;
export type Decimal = (typeof DECIMALS)[number];

/** Text for a number that is not there. */
export const isEmpty = (text: string): boolean =>
  text === '' || /^(-+|[–—]|\.|#?n\/?a|n\.a\.?|null|none|nan|nil|<na>|#n\/a n\/a)$/i.test(text);

const PLAIN = /^\d+(?:\.\d+)?$/;
const CURRENCY = /^(?:us)?\$\s*|^usd\s+|\s*(?:\$|usd)$/gi;
const POINT = /^[+-]?(?:(?:\d+|\d{1,3}(?:[, '’\u00a0\u202f]\d{3})+)(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const COMMA = /^[+-]?(?:(?:\d+|\d{1,3}(?:[. '’\u00a0\u202f]\d{3})+)(?:,\d*)?|,\d+)(?:e[+-]?\d+)?$/i;
const SUFFIX = /\s*(k|tsd|thousand|m|mn|mio|mln|million|b|bn|mrd|mld|billion)\.?$/i;
const POWERS: Readonly<Record<string, number>> = {
  k: 3,
  tsd: 3,
  thousand: 3,
  b: 9,
  bn: 9,
  mrd: 9,
  mld: 9,
  billion: 9,
};

type Cell = Readonly<{ row: number; column: number }>;

/**
 * Numbers of a file, read as if a point stood before the decimals, and again with a comma where the whole file shows that it does.
 * Cells are added in any order and are NaN if there is no number.
 */
export class NumberCells {
  readonly #table: ForeignTable;
  /** Cells that fit one reading alone, and one that fits both with different values; the first of each. */
  readonly #sure: Partial<Record<Decimal, Cell>> = {};
  #either: Cell | null = null;

  constructor(table: ForeignTable) {
    this.#table = table;
  }

  /**
   * Number of a cell.
   * @param isCount true for a volume, which may be written as `1.2M`
   * @throws {ConfigError} for what is not a number, with file, line and row
   */
  add(cell: Cell, name: string, isCount = false): number {
    const text = this.#table.cell(cell.row, cell.column);
    if (PLAIN.test(text)) {
      const point = text.indexOf('.');
      if (point >= 0) {
        if (point <= 3 && text.length - point === 4 && text[0] !== '0') this.#either ??= cell;
        else this.#sure.point ??= cell;
      }
      return Number(text);
    }
    if (isEmpty(text)) return NaN;
    const { digits } = bare(text, isCount);
    const [point, comma] = [POINT.test(digits), COMMA.test(digits)];
    if (!point && !comma) throw this.#table.error(cell.row, brokenText(name, text, isCount));
    if (!point) this.#sure.comma ??= cell;
    else if (!comma) this.#sure.point ??= cell;
    else if (/[.,]/.test(digits)) this.#either ??= cell;
    return point ? this.read(cell, 'point', isCount) : NaN;
  }

  /** Checks a cell that is not read. @throws {ConfigError} for one that has neither a number nor nothing */
  check({ row, column }: Cell, name: string): void {
    const text = this.#table.cell(row, column);
    if (PLAIN.test(text) || isEmpty(text)) return;
    const { digits } = bare(text.replace('%', ''), true);
    if (!POINT.test(digits) && !COMMA.test(digits))
      throw this.#table.error(row, brokenText(name, text, false));
  }

  /** Number of a cell that was added, by the sign before its decimals. */
  read({ row, column }: Cell, decimal: Decimal, isCount = false): number {
    const text = this.#table.cell(row, column);
    if (isEmpty(text)) return NaN;
    const { digits, power } = bare(text, isCount);
    const plain = digits.replace(decimal === 'point' ? /[, '’\u00a0\u202f]/g : /[. '’\u00a0\u202f]/g, '');
    return Number(`${plain.replace(',', '.')}${power === 0 ? '' : `e${power}`}`);
  }

  /**
   * Sign before the decimals; null if both readings fit, with a cell that shows it.
   * @throws {ConfigError} where the file has both, or not the one that was asked for
   */
  decimal(asked: Decimal | null): Decimal | Cell {
    const { point, comma } = this.#sure;
    if (point && comma) {
      const [later, first] = point.row > comma.row ? [point, comma] : [comma, point];
      throw this.#table.error(
        later.row,
        `"${this.#text(later)}" and "${this.#text(first)}" of ${this.#table.place(first.row)} are written in different formats`,
      );
    }
    const against = asked === 'point' ? comma : asked === 'comma' ? point : undefined;
    if (against)
      throw this.#table.error(
        against.row,
        `"${this.#text(against)}" is not a number with a decimal ${asked}`,
      );
    if (asked !== null) return asked;
    if (comma) return 'comma';
    const isPlain = this.#table.separator === ',' && this.#either && !this.#text(this.#either).includes(',');
    return point || isPlain ? 'point' : (this.#either ?? 'point');
  }

  #text({ row, column }: Cell): string {
    return this.#table.cell(row, column);
  }
}

/** Digits of a number without currency and suffix, and the power of ten of its suffix. */
function bare(text: string, isCount: boolean): Readonly<{ digits: string; power: number }> {
  const plain = text.replace(CURRENCY, '');
  const suffix = isCount ? SUFFIX.exec(plain)?.[1]?.toLowerCase() : undefined;
  if (suffix === undefined) return { digits: plain, power: 0 };
  return { digits: plain.replace(SUFFIX, ''), power: POWERS[suffix] ?? 6 };
}

const brokenText = (name: string, text: string, isCount: boolean): string =>
  `${name} is "${text}", which is not a number: write ${isCount ? 'a number such as 1200000' : 'a decimal such as 191.25'}`;
