import { z } from 'zod';
import { parseDecimal, plainText } from '../../core/amount.ts';
import { epochSeconds, type EpochSeconds } from '../../core/brand.ts';
import { messageOf } from '../../core/errors.ts';
import type { Address } from '../../domain/instrument.ts';
import { BLOCK_GAS_LIMIT } from '../chain/gas.ts';
import { disordered, ENDLESS_TOTAL, inventedRows, shiftOf } from '../faults/corrupt.ts';
import { invalid } from '../state/messages.ts';
import type { Hex, Mapping } from '../state/state.ts';
import type { Context } from './route.ts';

/** Maximum amount of the router's `int96`. */
const AMOUNT_MAX = 2n ** 95n - 1n;
const DEADLINE_MAX = 4_294_967_295;

/** A decimal as text or number, parsed to a wad: at most `places` places, and within the contracts' range. */
export const amount = (places: number) =>
  z.union([z.string(), z.number()], 'must be a decimal').transform((value, context): bigint => {
    try {
      const wad = parseDecimal(typeof value === 'number' ? plainText(value) : value, { places });
      if (wad <= AMOUNT_MAX) return wad;
      context.addIssue({ code: 'custom', message: 'must not be so large' });
    } catch (error) {
      context.addIssue({ code: 'custom', message: `must be a decimal: ${messageOf(error)}` });
    }
    return z.NEVER;
  });

const ADDRESS_RULE = 'must be an EVM address';

/** An address in any case. */
export const address = z
  .string(ADDRESS_RULE)
  .regex(/^0x[0-9a-fA-F]{40}$/, ADDRESS_RULE)
  .transform((text) => text.toLowerCase() as Address);

const GAS_RULE = `must be a whole number, at most ${BLOCK_GAS_LIMIT}`;

/** Gas limit; 0 and below let the venue estimate. */
export const gasLimit = z.int(GAS_RULE).max(BLOCK_GAS_LIMIT, GAS_RULE).nullish();

const DEADLINE_RULE = `must be Unix seconds, at most ${DEADLINE_MAX}`;

export const deadline = z
  .int(DEADLINE_RULE)
  .min(0, DEADLINE_RULE)
  .max(DEADLINE_MAX, DEADLINE_RULE)
  .transform(epochSeconds);

/** Parses the body. @throws {Refusal} naming the invalid field */
export function parseBody<S extends z.ZodType>(schema: S, { body }: Context): z.output<S> {
  let json: unknown;
  try {
    json = JSON.parse(body);
  } catch {
    throw invalid('validation error: the body must be JSON');
  }
  const parsed = schema.safeParse(json);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  const field = issue?.path.join('.') ?? '';
  const given = field !== '' && isPresent(json, issue?.path[0]);
  throw invalid(given ? `${field} ${issue?.message ?? 'is invalid'}` : `${field || 'body'} is required`);
}

const isPresent = (json: unknown, name: PropertyKey | undefined): boolean =>
  typeof json === 'object' && json !== null && name !== undefined && Object.hasOwn(json, name);

/** Reads an id of 32 bytes from the path, with or without 0x. @throws {Refusal} naming the field */
export function pathId({ path }: Context, name: string): Hex {
  const id = (path[name] ?? '').toLowerCase().replace(/^0x/, '');
  if (!/^[0-9a-f]{64}$/.test(id)) throw invalid(`${name} must be 32 bytes in hex`);
  return `0x${id}`;
}

/** Reads a whole number from the query. @throws {Refusal} naming the field */
export function integer({ query }: Context, name: string): number | null {
  const text = query.get(name);
  if (text === null || text === '') return null;
  if (!/^-?\d{1,15}$/.test(text)) throw invalid(`${name} must be a whole number`);
  return Number(text);
}

export function queryDeadline(context: Context): EpochSeconds {
  const value = integer(context, 'deadline');
  if (value === null) throw invalid('deadline is required');
  if (value < 0 || value > DEADLINE_MAX) throw invalid(`deadline ${DEADLINE_RULE}`);
  return epochSeconds(value);
}

/** `page` from 1; `limit` with the venue's default and maximum. Values below 1 count as missing. */
function pageOf(context: Context): { page: number; limit: number } {
  const { listRows, listRowsMax } = context.venue.state.constants;
  const [page, limit] = [integer(context, 'page') ?? 1, integer(context, 'limit') ?? listRows];
  return { page: Math.max(page, 1), limit: Math.min(limit < 1 ? listRows : limit, listRowsMax) };
}

/** One page of a list stored oldest first. Rows are newest first; those of one instant are in reverse order of sending. */
export function listOf(
  context: Context,
  kept: readonly Mapping[],
  textOf: (each: Mapping) => string,
): string {
  const { page, limit } = pageOf(context);
  const { disorder, venue, now } = context;
  const all = disorder ? disordered(kept, disorder, `${venue.state.seed} ${now}`) : kept;
  const shift = disorder && page > 1 ? shiftOf(disorder) : 0;
  const end = Math.max(all.length - (page - 1) * limit + shift, 0);
  const shown = all.slice(Math.max(end - limit, 0), end).reverse();
  const texts = shown.map(textOf);
  const newest = all.at(-1);
  if (disorder?.how !== 'endless' || !newest) return `{"total":${all.length},"rows":[${texts.join(',')}]}`;
  const invented = inventedRows(textOf(newest), { page, count: limit - texts.length });
  return `{"total":${ENDLESS_TOTAL},"rows":[${[...texts, ...invented].join(',')}]}`;
}
