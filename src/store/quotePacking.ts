import { SqliteError, type Database } from './sqlite/sqlite.ts';
import type { Row } from './integrity.ts';

/** First words of quotes, each stored as its index here: append only, never change. */
const WORDS = ['start', 'unheard', 'regular', 'pre', 'post', 'overnight'];

/** Number of decimals of most prices, which is not stored with each. */
const DECIMALS = 2;

/** Maximum number of digits that a JavaScript number keeps exactly. */
const DIGITS_MAX = 15;

const BASE = 36;

/** Symbols in the quotes of a file, by the capital letters that stand for them in its rows. */
export const SYMBOLS_TABLE = `
  CREATE TABLE IF NOT EXISTS symbols (
    code   TEXT PRIMARY KEY,
    symbol TEXT NOT NULL UNIQUE
  ) STRICT;
`;

/**
 * Bodies of quotes in a file, which are nearly all that it holds, in a third of their bytes: `2Ag3wB918i` is `"regular AAPL 208.76 MSFT
 * 4215.06"`. After the place of the first word comes for each stock its code in the table of symbols and its price, as hundredths in base 36,
 * or in its own decimals with their number (`A7.4` is 0.0007). A body that would be another one when unpacked stays as it is. Sums are those of unpacked bodies.
 */
export class QuotePacking {
  readonly #database: Database;
  readonly #codes = new Map<string, string>();
  readonly #symbols = new Map<string, string>();

  constructor(database: Database) {
    this.#database = database;
  }

  /** Row of quotes as stored. Assigns codes to new symbols outside of transactions, because a rollback would undo them. */
  packed<R extends Pick<Row, 'body'>>(row: R): R {
    return { ...row, body: this.#pack(row.body) };
  }

  /** Original row of a packed one. @throws {SqliteError} when the file lacks one of its symbols */
  unpacked<R extends Pick<Row, 'body'>>(row: R): R {
    return isPacked(row.body) ? { ...row, body: this.#unpack(row.body) } : row;
  }

  #pack(body: string): string {
    const [word = '', ...parts] = body.slice(1, -1).split(' ');
    let packed = String(WORDS.indexOf(word));
    for (let at = 0; at < parts.length; at += 2) {
      const price = packedPrice(parts[at + 1] ?? '');
      if (price === '') return body;
      packed += this.#codeOf(parts[at] ?? '') + price;
    }
    return isPacked(packed) && this.#unpack(packed) === body ? packed : body;
  }

  #unpack(packed: string): string {
    let text = `"${WORDS[Number(packed[0])] ?? ''}`;
    for (let at = 1; at < packed.length;) {
      const price = skipping(packed, at, isLetter);
      const end = skipping(packed, price, isDigit);
      const isNamed = packed[end] === '.';
      const decimals = isNamed ? Number.parseInt(packed[end + 1] ?? '', BASE) : DECIMALS;
      const number = Number.parseInt(packed.slice(price, end), BASE);
      text += ` ${this.#symbolOf(packed.slice(at, price))} ${decimalOf(number, decimals)}`;
      at = isNamed ? end + 2 : end;
    }
    return `${text}"`;
  }

  #codeOf(symbol: string): string {
    if (!this.#codes.has(symbol)) this.#read();
    const code = this.#codes.get(symbol) ?? codeAt(this.#codes.size);
    if (!this.#codes.has(symbol)) {
      this.#database.prepare('INSERT INTO symbols (code, symbol) VALUES (?, ?)').run(code, symbol);
      this.#note(code, symbol);
    }
    return code;
  }

  #symbolOf(code: string): string {
    if (!this.#symbols.has(code)) this.#read();
    const symbol = this.#symbols.get(code);
    if (symbol !== undefined) return symbol;
    throw new SqliteError(`it has quotes for an unknown stock code "${code}"`, 'SQLITE_CORRUPT');
  }

  #read(): void {
    for (const { code, symbol } of symbolsOf(this.#database)) this.#note(code, symbol);
  }

  #note(code: string, symbol: string): void {
    this.#codes.set(symbol, code);
    this.#symbols.set(code, symbol);
  }
}

/** True for a packed body, which begins with a digit; others are JSON objects or texts. */
const isPacked = (body: string): boolean => /^\d/.test(body);

type NamedSymbol = Readonly<{ code: string; symbol: string }>;

const symbolsOf = (database: Database): readonly NamedSymbol[] =>
  database.prepare<[], NamedSymbol>('SELECT code, symbol FROM symbols ORDER BY rowid').all();

/** Letters of a number from 0: A to Z, then AA. */
const codeAt = (index: number): string =>
  (index < LETTERS ? '' : codeAt(Math.floor(index / LETTERS) - 1)) +
  String.fromCharCode(FIRST_LETTER + (index % LETTERS));

const LETTERS = 26;
const FIRST_LETTER = 'A'.charCodeAt(0);
const ZERO = '0'.charCodeAt(0);
const SMALL_A = 'a'.charCodeAt(0);

/** Packed price; empty for a text that is not a price, or has more digits than a number holds. */
function packedPrice(text: string): string {
  const [, whole = '', fraction = ''] = /^(\d+)(?:\.(\d+))?$/.exec(text) ?? [];
  const decimals = Math.max(fraction.length, DECIMALS);
  if (whole === '' || whole.length + decimals > DIGITS_MAX) return '';
  const number = Number(whole + fraction.padEnd(decimals, '0')).toString(BASE);
  return decimals === DECIMALS ? number : `${number}.${decimals.toString(BASE)}`;
}

/** Index of the first character, from an index on, that fails the test. */
function skipping(text: string, from: number, isOne: (code: number) => boolean): number {
  let at = from;
  while (isOne(text.charCodeAt(at))) at++;
  return at;
}

const isLetter = (code: number): boolean => code >= FIRST_LETTER && code < FIRST_LETTER + LETTERS;

const isDigit = (code: number): boolean => (code >= ZERO && code < ZERO + 10) || code >= SMALL_A;

function decimalOf(number: number, decimals: number): string {
  const unit = 10 ** decimals;
  const rest = number % unit;
  const whole = String((number - rest) / unit);
  return rest === 0 ? whole : `${whole}.${String(rest).padStart(decimals, '0').replace(/0+$/, '')}`;
}
