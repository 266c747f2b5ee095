import { formatDecimal } from '../core/amount.ts';

/** JSON on one line. Wads become decimal strings. */
export const toJson = (value: unknown): string =>
  JSON.stringify(value, (_key, inner: unknown) => (typeof inner === 'bigint' ? formatDecimal(inner) : inner));
