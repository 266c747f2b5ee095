import type { ForeignTable } from './table.ts';

/** Decimal sign of a number. */
export const DECIMALS = ['point', 'comma'] as const;
export type Decimal = (typeof DECIMALS)[number];

/** True for the text of a missing number. */
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
 * Numbers of a file, read with a decimal point, and again with a decimal comma if the file as a whole shows that it
 * uses one. Cells are added in any order, and are NaN if there is no number.
 */
export class NumberCells {
  readonly #table: ForeignTable;
  /** First cell that fits only one reading, and first that fits both with different values. */
  readonly #sure: Partial<Record<Decimal, Cell>> = {};
  #either: Cell | null = null;

  constructor(table: ForeignTable) {
    this.#table = table;
  }

  /**
   * Number in a cell.
   * @param isCount true for a volume, which may be written as `1.2M`
   * @throws {ConfigError} for text that is not a number, with file, line and row
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

  /** Checks a cell that is not used. @throws {ConfigError} if it is neither a number nor empty */
  check({ row, column }: Cell, name: string): void {
    const text = this.#table.cell(row, column);
    if (PLAIN.test(text) || isEmpty(text)) return;
    const { digits } = bare(text.replace('%', ''), true);
    if (!POINT.test(digits) && !COMMA.test(digits))
      throw this.#table.error(row, brokenText(name, text, false));
  }

  /** Number in a cell that was added, by its decimal sign. */
  read({ row, column }: Cell, decimal: Decimal, isCount = false): number {
    const text = this.#table.cell(row, column);
    if (isEmpty(text)) return NaN;
    const { digits, power } = bare(text, isCount);
    const plain = digits.replace(decimal === 'point' ? /[, '’\u00a0\u202f]/g : /[. '’\u00a0\u202f]/g, '');
    return Number(`${plain.replace(',', '.')}${power === 0 ? '' : `e${power}`}`);
  }

  /**
   * Decimal sign, or a cell that fits both readings if no other cell decides.
   * @throws {ConfigError} if the file uses both, or not the one given
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

/** Digits of a number without currency and suffix, and the suffix's power of ten. */
function bare(text: string, isCount: boolean): Readonly<{ digits: string; power: number }> {
  const plain = text.replace(CURRENCY, '');
  const suffix = isCount ? SUFFIX.exec(plain)?.[1]?.toLowerCase() : undefined;
  if (suffix === undefined) return { digits: plain, power: 0 };
  return { digits: plain.replace(SUFFIX, ''), power: POWERS[suffix] ?? 6 };
}

const brokenText = (name: string, text: string, isCount: boolean): string =>
  `${name} is "${text}", which is not a number: write ${isCount ? 'a number such as 1200000' : 'a decimal such as 191.25'}`;
