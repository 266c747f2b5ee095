import { formatDecimal } from './amount.ts';
import { printableJson } from './printable.ts';

/** JSON on one line, in which nothing steers a terminal. Wads become decimal strings. */
export const toJson = (value: unknown): string =>
  printableJson(
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? formatDecimal(inner) : inner,
    ),
  );
