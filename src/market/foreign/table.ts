import Papa from 'papaparse';
import { ConfigError } from '../../core/errors.ts';

/** Marks by which the fields of a line are cut, by how often exporters use them. */
const SEPARATORS = [',', ';', '\t', '|'] as const;
export const SEPARATOR_NAMES: Readonly<Record<string, string>> = {
  ',': 'commas',
  ';': 'semicolons',
  '\t': 'tabs',
  '|': 'bars',
};
/** Lines that are searched for the header, behind titles and remarks. */
const SEARCHED_LINES = 20;

/** Text of a file cut into rows and fields. Rows count from 0, titles and blank lines included. */
export class ForeignTable {
  readonly file: string;
  readonly rows: readonly (readonly string[])[];
  readonly separator: string;
  readonly #text: string;

  /** @throws {ConfigError} for an empty file, and with file and line of quotation marks that do not fit */
  constructor(file: string, content: Uint8Array | string) {
    this.file = file;
    this.#text = typeof content === 'string' ? content.replace(/^\uFEFF/, '') : decoded(content);
    if (this.#text.trim() === '') throw new ConfigError(`${file}: the file is empty`, { file });
    this.separator = separatorOf(this.#text);
    const { data, errors } = Papa.parse<string[]>(this.#text, { delimiter: this.separator });
    this.rows = data;
    const [quotes] = errors.filter(({ type }) => type === 'Quotes');
    if (quotes) throw this.error(quotes.row ?? 0, 'its quotation marks do not fit');
  }

  /** Field of a row without spaces around it; empty where the row ends before it. */
  cell(row: number, column: number): string {
    return this.rows[row]?.[column]?.trim() ?? '';
  }

  /** `file:line` of a row. */
  place(row: number): string {
    return `${this.file}:${this.lineOf(row)}`;
  }

  /** Error with file, line and the row as it stands. */
  error(row: number, what: string): ConfigError {
    const line = this.lineOf(row);
    const text = this.#text.split(/\r\n|\n|\r/)[line - 1] ?? '';
    return new ConfigError(`${this.file}:${line}: ${what}. The row is: ${text}`, { file: this.file, line });
  }

  /** Line on which a row begins, from 1: a field in quotation marks may have several lines. */
  lineOf(row: number): number {
    const before = this.rows.slice(0, row);
    if (!this.#text.includes('"')) return before.length + 1;
    const within = (field: string) => field.split(/\r\n|\n|\r/).length - 1;
    return before.reduce((line, fields) => line + 1 + fields.reduce((sum, one) => sum + within(one), 0), 1);
  }
}

/** Text of bytes in UTF-8, in UTF-16 by its mark, or else as Windows writes it. */
function decoded(bytes: Uint8Array): string {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return new TextDecoder('utf-16le').decode(bytes);
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return new TextDecoder('utf-16be').decode(bytes);
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return new TextDecoder('windows-1252').decode(bytes);
  }
}

/** Separator that `sep=;` in the first line names, or that cuts a line of the beginning into most fields. */
function separatorOf(text: string): string {
  const named = /^sep=(.)\r?\n/i.exec(text)?.[1];
  if (named !== undefined) return named;
  const lines = text.slice(0, 20_000).split(/\r\n|\n|\r/, SEARCHED_LINES);
  const plain = lines.map((line) => line.replace(/"[^"]*"/g, ''));
  const fields = (mark: string) => Math.max(...plain.slice(0, 3).map((line) => line.split(mark).length));
  return SEPARATORS.reduce((best, mark) => (fields(mark) > fields(best) ? mark : best));
}
