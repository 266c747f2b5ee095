import { keccak_256 } from '@noble/hashes/sha3';
import { bytesToHex } from '@noble/hashes/utils';
import { z } from 'zod';
import { formatDecimal, parseDecimal, plainText, wadFromNumber } from '../core/amount.ts';
import { messageOf } from '../core/errors.ts';
import { excessOf, outlineOf, type Unreadable } from '../core/nesting.ts';
import { shownText } from '../core/printable.ts';
import type { Address } from '../domain/instrument.ts';

/**
 * True if each letter of `0x` and 40 hex digits has the case of its checksum (EIP-55). Uses viem's own hash library:
 * loading viem would slow every start by more than a tenth of a second.
 */
export function isChecksummed(address: string): boolean {
  const digits = address.slice(2).toLowerCase();
  const hash = bytesToHex(keccak_256(digits));
  const cased = digits.replace(/[a-f]/g, (letter, at: number) =>
    (hash[at] ?? '0') >= '8' ? letter.toUpperCase() : letter,
  );
  return address === `0x${cased}`;
}

/** Number of digits that a float64 represents exactly: a JSON number with more was rounded before we saw it. */
const SAFE_DIGITS = 15;
/** Maximum length of a decimal: more than any amount needs, and short enough to parse. */
const DECIMAL_CHARS = 100;
const UNSIGNED = /^(0|[1-9]\d*)(\.\d+)?$/;
const SIGNED = /^-?(0|[1-9]\d*)(\.\d+)?$/;

/**
 * The digits of a decimal if they are certain: those of `"0.5"`, `0.5` and `1e-7` are, those of `"1e-7"` and
 * `0.30000000000000004` are not.
 */
function exactText(value: string | number, grammar: RegExp): string | null {
  const text = typeof value === 'number' ? plainText(value) : value;
  if (text.length > DECIMAL_CHARS || !grammar.test(text)) return null;
  return typeof value === 'string' || text.replace(/[-.]/g, '').replace(/^0+/, '').length <= SAFE_DIGITS
    ? text
    : null;
}

const decimalOf = (grammar: RegExp) =>
  z.union([z.string().meta({ pattern: grammar.source }), z.number()]).transform((value, context): string => {
    const text = exactText(value, grammar);
    if (text !== null) return text;
    context.addIssue({
      code: 'custom',
      message: `${shownText(String(value), DECIMAL_CHARS)} is not an exact plain decimal`,
    });
    return z.NEVER;
  });

/** Reason why a decimal is not a valid amount in a request, or null. */
function unusable(text: string): string | null {
  try {
    return parseDecimal(text) > 0n ? null : 'must be above 0';
  } catch (error) {
    return messageOf(error);
  }
}

const amount = decimalOf(UNSIGNED).superRefine((text, context) => {
  const message = unusable(text);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

const hex = (bytes: number) => new RegExp(`^0x[0-9a-fA-F]{${bytes * 2}}$`);
const ADDRESS = hex(20);

const isOwnAddress = (value: unknown): boolean =>
  typeof value === 'string' && ADDRESS.test(value) && (value === value.toLowerCase() || isChecksummed(value));

/** Basic types of the API. Requests must match them exactly; in responses only the fields that we name. */
export const wire = {
  /** Decimal text, not negative, no exponent. A JSON number is accepted when its digits are certain. */
  decimal: decimalOf(UNSIGNED),
  signedDecimal: decimalOf(SIGNED),
  /** Amount in a request: above 0, at most 18 decimals. */
  amount,
  /** Amount that the venue sends as a float: text unchanged, a number by its 15 certain digits. */
  float: z.union([
    z
      .string()
      .regex(SIGNED, 'not a plain decimal')
      .refine((text) => text.length <= DECIMAL_CHARS, `longer than ${DECIMAL_CHARS} characters`),
    z.number().transform((value) => formatDecimal(wadFromNumber(value))),
  ]),
  address: z
    .custom<Address>((value) => typeof value === 'string' && ADDRESS.test(value), 'not an address')
    .meta({ type: 'string', pattern: ADDRESS.source }),
  /** Address in a request: lower case, or mixed case with a valid checksum, so that typing errors are detected. */
  ownAddress: z
    .custom<Address>(isOwnAddress, 'not an address in lower case or with its checksum')
    .meta({ type: 'string', pattern: ADDRESS.source }),
  /** 32 bytes. */
  hash: z.string().regex(hex(32), 'not a 32-byte hash'),
  /** 65 bytes. */
  signature: z.string().regex(hex(65), 'not a 65-byte signature'),
  /** Unix seconds, at most 4294967295. */
  deadline: z.int().min(0).max(4_294_967_295),
  /** If absent or at most 0, the venue estimates. */
  gasLimit: z.int(),
  bytes: z.string().regex(/^0x([0-9a-fA-F]{2})*$/, 'not bytes in hex'),
};

/** Maximum size of a row as counted by `excessOf`: a hundred times a real one. */
const ROW_SIZE_MAX = 131_072;

const REASON_MAX = 300;

/** The issues of a failed parse in one line, path first. */
export const reasonOf = (error: z.core.$ZodError): string =>
  error.issues
    .map(({ path, message }) => (path.length > 0 ? `${path.join('.')}: ${message}` : message))
    .join('; ')
    .slice(0, REASON_MAX);

/** Schemas with a custom parse function, with the shape each expects, for documentation. */
const expected = new WeakMap<z.core.$ZodType, z.ZodType>();

export const expectedBy = (schema: z.core.$ZodType): z.ZodType | undefined => expected.get(schema);

/** Registers the expected shape of a schema and returns the schema. */
export function expecting<S extends z.ZodType>(schema: S, shape: z.ZodType): S {
  expected.set(schema, shape);
  return schema;
}

/** A list whose rows are parsed one by one. Their schema is compiled when the first list arrives. */
export const rowsOf = <S extends z.ZodType>(row: S) => {
  let compiled: S | undefined;
  const rows = z.array(z.unknown()).transform((raws) => {
    const schema = (compiled ??= z.compile(row));
    return raws.map((raw): z.output<S> | Unreadable => {
      const excess = excessOf(raw, ROW_SIZE_MAX);
      if (excess !== null) return { unreadable: excess, raw: outlineOf(raw) };
      const parsed = schema.safeParse(raw);
      return parsed.success ? parsed.data : { unreadable: reasonOf(parsed.error), raw };
    });
  });
  return expecting(rows, z.array(row));
};

/** An object passed on unchanged, with any content that can be stored. */
export const asItCame = z.record(z.string(), z.unknown()).superRefine((value, context) => {
  const message = excessOf(value);
  if (message !== null) context.addIssue({ code: 'custom', message });
});

/** The wrapper of every paged list. */
export const pageOf = <S extends z.ZodType>(row: S) => z.object({ total: z.number(), rows: rowsOf(row) });

/** `page` counts from 1; `limit` is 10 by default and at most 100. */
export const pageQuery = z.strictObject({
  /** From 1; 1 if absent. */
  page: z.int().min(1).optional(),
  /** Rows per page, 1 to 100; 10 if absent. */
  limit: z.int().min(1).max(100).optional(),
});

/** Path segment without characters that need escaping, which servers parse differently: those are refused. */
const segment = z.string().regex(/^[A-Za-z0-9._~-]{1,100}$/, 'cannot be used in a path');

/** Stock symbol, token symbol or token address; the venue converts it to upper case. */
export const symbolPath = z.strictObject({ symbol: segment });
export const userPath = z.strictObject({ userId: wire.address });

/** An id of the indexer. */
export const operationPath = z.strictObject({ operationId: segment });
