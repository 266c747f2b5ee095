import { createRequire } from 'node:module';
import type * as Papa from 'papaparse';
import { ConfigError } from '../../core/errors.ts';

/** Loads the parser with the first table: most files have our own header, and loading takes some milliseconds. */
const require = createRequire(import.meta.url);

/** Field separators, by how often exporters use them. */
const SEPARATORS = [',', ';', '\t', '|'] as const;
export const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
};
/** Lines searched for the header, which may follow titles and remarks. */
const SEARCHED_LINES = 20;

/** Weight of a line relative to a field in the choice of a separator: more than the number of fields of any line. */
const LINE_WEIGHT = 1_000;

/** Text of a file, split into rows and fields. Rows count from 0, including titles and blank lines. */
export class ForeignTable {
  readonly file: string;
  readonly rows: readonly (readonly string[])[];
  readonly separator: string;
  readonly #text: string;

  /** @throws {ConfigError} for an empty file or no table, and with file and line of an unmatched quotation mark */
  constructor(file: string, content: Uint8Array | string) {
    this.file = file;
    const whole = typeof content === 'string' ? content.replace(/^\uFEFF/, '') : decoded(content);
    // Files written by several programs may mix line endings.
    this.#text = whole.includes('\r') ? whole.replace(/\r\n?/g, '\n') : whole;
    if (this.#text.trim() === '') throw new ConfigError(`${file}: the file is empty`, { file });
    requireTable(file, this.#text);
    this.separator = separatorOf(this.#text);
    const { parse } = require('papaparse') as typeof Papa;
    const { data, errors } = parse<string[]>(this.#text, { delimiter: this.separator, newline: '\n' });
    this.rows = data;
    const [quotes] = errors.filter(({ type }) => type === 'Quotes');
    if (quotes) throw this.error(quotes.row ?? 0, 'its quotation marks do not match');
  }

  /** Trimmed field of a row; empty if the row ends before it. */
  cell(row: number, column: number): string {
    return this.rows[row]?.[column]?.trim() ?? '';
  }

  /** `file:line` of a row. */
  place(row: number): string {
    return `${this.file}:${this.lineOf(row)}`;
  }

  /** Error with file, line and the row as written. */
  error(row: number, what: string): ConfigError {
    const line = this.lineOf(row);
    const text = this.#text.split(/\r\n|\n|\r/)[line - 1] ?? '';
    return new ConfigError(`${this.file}:${line}: ${what}. The row is: ${text}`, { file: this.file, line });
  }

  /** Line on which a row begins, from 1: a quoted field may span several lines. */
  lineOf(row: number): number {
    const before = this.rows.slice(0, row);
    if (!this.#text.includes('"')) return before.length + 1;
    const within = (field: string) => field.split(/\r\n|\n|\r/).length - 1;
    return before.reduce((line, fields) => line + 1 + fields.reduce((sum, one) => sum + within(one), 0), 1);
  }
}

/** Text of bytes in UTF-8, in UTF-16 by its byte order mark, or otherwise in the Windows code page. */
function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Beginnings of files that are not tables, with a remedy for each. */
const NOT_TABLES: readonly (readonly [RegExp, string])[] = [
  [/^\s*[{[]/, 'JSON, not a table: ask its source for CSV (Alpha Vantage: datatype=csv; EODHD: fmt=csv)'],
  [/^\s*<(!doctype|html|\?xml)/i, 'a web page, not a table: download it again, and check the response'],
  [/^PK\u0003\u0004/, 'a workbook or an archive: save it as CSV, or unpack it first'],
  [/^PAR1/, 'Parquet, not text: write it as CSV first'],
  [/^\u001f/, 'compressed: unpack it first'],
];

/** Number of characters from the beginning of a file shown in an error. */
const SHOWN = 120;

/** @throws {ConfigError} for a file that is not a table, showing its beginning */
function requireTable(file: string, text: string): void {
  const [, what] = NOT_TABLES.find(([beginning]) => beginning.test(text)) ?? [];
  if (what === undefined) return;
  const [begins = ''] = text
    .trim()
    .replace(/[^\x20-\x7e\s]/g, '')
    .split('\n');
  throw new ConfigError(`${file}:1: the file is ${what}. It begins: ${begins.slice(0, SHOWN)}`, {
    file,
    line: 1,
  });
}

/** Separator named by `sep=;` in the first line, or that splits most of the first lines into as many fields. */
function separatorOf(text: string): string {
  const named = /^sep=(.)\r?\n/i.exec(text)?.[1];
  if (named !== undefined) return named;
  const lines = text.slice(0, 20_000).split(/\r\n|\n|\r/, SEARCHED_LINES);
  const plain = lines.map((line) => line.replace(/"[^"]*"/g, ''));
  const score = (mark: string) => {
    const counts = new Map<number, number>();
    for (const line of plain)
      counts.set(line.split(mark).length, (counts.get(line.split(mark).length) ?? 0) + 1);
    return Math.max(...[...counts].map(([fields, count]) => (fields > 1 ? count * LINE_WEIGHT + fields : 0)));
  };
  return SEPARATORS.reduce((best, mark) => (score(mark) > score(best) ? mark : best));
}
