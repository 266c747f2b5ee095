import { z } from 'zod';
import { hashHex } from '../core/random.ts';
import { DataError, messageOf } from '../core/errors.ts';
import { LEVELS_MAX, parseBounded } from '../core/nesting.ts';
import { INTERVALS } from '../domain/bar.ts';

const epoch = z.number();

/** Source of bars. Those of an emulator and generated ones are never mixed with others. */
const sourceSchema = z.strictObject({
  kind: z.enum(['venue', 'emulator', 'file', 'generated']),
  /** Address, file name or recipe. */
  name: z.string(),
});
export type Source = Readonly<z.output<typeof sourceSchema>>;

/** Span [from, to) of starts for which a source has returned all its bars; times in epoch ms. */
const partSchema = z.strictObject({ source: sourceSchema, fetchedAt: epoch, from: epoch, to: epoch });
export type Part = Readonly<z.output<typeof partSchema>>;

/**
 * Factors by which the source adjusted raw prices for splits, dividends and spin-offs, as fetched at `fetchedAt`:
 * `factor` applies to bars that start at `from` or later, up to the next step.
 */
const factorsSchema = z.strictObject({
  fetchedAt: epoch,
  steps: z.array(z.strictObject({ from: epoch, factor: z.number().positive() })),
});
export type Factors = Readonly<z.output<typeof factorsSchema>>;

/** Description of a set of bars. Times in epoch ms; `first` and `last` are starts of bars. */
export const manifestSchema = z.strictObject({
  format: z.literal(1),
  symbol: z.string(),
  interval: z.enum(INTERVALS),
  /** True for bars outside the regular sessions. */
  outside: z.literal(true).optional(),
  prices: z.literal('raw'),
  bars: z.int().positive(),
  first: epoch,
  last: epoch,
  /** Hash of the columns: names their file, and is part of the identity of a run. */
  hash: z.string(),
  parts: z.array(partSchema),
  factors: factorsSchema.nullable(),
});
export type Manifest = Readonly<z.output<typeof manifestSchema>>;

const rate = z.string().nullable();

/** Stored corporate action. `oldRate` shares become `newRate`; `cashPerShare`: USD, as a decimal. Dates of New York. */
const actionSchema = z.strictObject({
  type: z.string(),
  exDate: z.string(),
  oldRate: rate,
  newRate: rate,
  cashPerShare: rate,
  /** Date on which a payment arrives, if known; otherwise the ex-date. */
  payableDate: z.string().optional(),
  source: sourceSchema,
});
export type StoredAction = Readonly<z.output<typeof actionSchema>>;

/** Corporate actions of a symbol, by ex-date, as fetched at `fetchedAt`. */
export const actionsSchema = z.strictObject({
  format: z.literal(1),
  symbol: z.string(),
  fetchedAt: epoch,
  actions: z.array(actionSchema),
});
export type StoredActions = Readonly<z.output<typeof actionsSchema>>;

const acceptedSchema = z.strictObject({
  id: z.string(),
  kind: z.string(),
  at: epoch,
  what: z.string(),
  reason: z.string(),
  acceptedAt: epoch,
});
/** Finding that a person has accepted as genuine. `at`: start of the bar; times in epoch ms. */
export type AcceptedFinding = Readonly<z.output<typeof acceptedSchema>>;

/** Accepted findings of a symbol, in bar order. */
export const acceptedFindingsSchema = z.strictObject({
  format: z.literal(1),
  symbol: z.string(),
  accepted: z.array(acceptedSchema),
});

/** Text of a file with its checksum, so that changes are detected. */
export const sealed = (content: Readonly<Record<string, unknown>>): string =>
  `${JSON.stringify({ ...content, sum: hashHex(JSON.stringify(content)) }, null, 2)}\n`;

/** @throws {DataError} when the text was changed after sealing, or does not fit the schema */
export function unsealed<Schema extends z.ZodType>(
  text: string,
  file: string,
  schema: Schema,
): z.output<Schema> {
  const { sum, ...content } = parsed(text, file);
  const read = schema.safeParse(content);
  if (sum === hashHex(JSON.stringify(content)) && read.success) return read.data;
  throw damaged(file, 'it was changed after it was written');
}

function parsed(text: string, file: string): Record<string, unknown> {
  try {
    return parseBounded(text, LEVELS_MAX) as Record<string, unknown>;
  } catch (cause) {
    throw damaged(file, messageOf(cause));
  }
}

export const damaged = (file: string, why: string): DataError =>
  new DataError(`${file} is damaged: ${why}. Remove it, and get the data again`, { file });
