import { formatDecimal } from './amount.ts';
import { printableJson } from './printable.ts';

/** JSON on one line, with terminal control characters escaped. Wads become decimal strings. */
export const toJson = (value: unknown): string =>
  printableJson(
    JSON.stringify(value, (_key, inner: unknown) =>
      typeof inner === 'bigint' ? formatDecimal(inner) : inner,
    ),
  );
