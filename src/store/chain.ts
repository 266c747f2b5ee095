import { hash } from 'node:crypto';
import { epochMs } from '../core/brand.ts';
import { messageOf } from '../core/errors.ts';
import { orderOf, type Entry, type Fact } from '../domain/fact.ts';
import { decode, encode } from './codec.ts';
import { damaged } from './trouble.ts';

/** A row of the table of entries. */
export type Row = Readonly<{
  seq: number;
  at: number;
  kind: string;
  order: string | null;
  body: string;
  /** Ties the row to all before it. */
  sum: string;
}>;

/** How far a journal goes: the number of its last row, and the sum that stands for all of them. */
export type Tip = Readonly<Pick<Row, 'seq' | 'sum'>>;

/** An entry and its place. */
export type Line = Entry & Readonly<{ seq: number }>;

export const ORIGIN: Tip = { seq: 0, sum: '' };

/** 128 bits are plenty against chance; against whoever can write the file no sum without a key helps. */
const SUM_LENGTH = 22;

export function sumOf(before: Tip, { at, kind, order, body }: Omit<Row, 'seq' | 'sum'>): string {
  const text = `${before.sum}\n${before.seq + 1}\n${at}\n${kind}\n${order ?? ''}\n${body}`;
  return hash('sha256', text, 'base64').slice(0, SUM_LENGTH);
}

/** The row of an entry that comes after `before`. */
export function rowAfter(before: Tip, { at, fact }: Entry): Row {
  const row = { at, kind: fact.kind, order: orderOf(fact), body: encode(fact) };
  return { seq: before.seq + 1, ...row, sum: sumOf(before, row) };
}

/**
 * The entry of a row, if it is the one that was written after `before`.
 * @throws {ConfigError} when a row is missing before it, or it is not as it was written
 */
export function lineOf(row: Row, before: Tip, file: string): Line {
  const { seq } = row;
  if (seq !== before.seq + 1) throw damaged(file, `entry ${before.seq + 1} is missing`);
  if (sumOf(before, row) !== row.sum) throw damaged(file, `entry ${seq} is not as it was written`);
  return unchecked(row, file);
}

/** The entry of a row, whatever comes before it. @throws {ConfigError} when it is none */
export function unchecked({ seq, at, body }: Pick<Row, 'seq' | 'at' | 'body'>, file: string): Line {
  try {
    return { seq, at: epochMs(at), fact: decode(body) as Fact };
  } catch (cause) {
    throw damaged(file, `entry ${seq}: ${messageOf(cause)}`, cause);
  }
}
