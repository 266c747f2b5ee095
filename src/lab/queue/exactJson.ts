import { InvalidValueError } from '../../core/errors.ts';

/** Tag of a value that JSON cannot represent: `{"$bigint": "5"}`, `{"$number": "Infinity"}`. */
const BIGINT = '$bigint';
const NUMBER = '$number';

/** JSON that preserves whole numbers of any size, infinities, NaN and the sign of zero between machines. */
export const toExactJson = (value: unknown): string =>
  JSON.stringify(value, (_key, part: unknown) => {
    if (typeof part === 'bigint') return { [BIGINT]: String(part) };
    if (typeof part !== 'number' || (Number.isFinite(part) && !Object.is(part, -0))) return part;
    return { [NUMBER]: Object.is(part, -0) ? '-0' : String(part) };
  });

/** Parses the output of `toExactJson`. @throws {InvalidValueError} for any other text */
export function fromExactJson(text: string): unknown {
  try {
    return JSON.parse(text, (_key, part: unknown) => {
      if (typeof part !== 'object' || part === null) return part;
      if (BIGINT in part) return BigInt(String(part[BIGINT]));
      return NUMBER in part ? Number(part[NUMBER]) : part;
    });
  } catch (cause) {
    throw new InvalidValueError('the queue holds a text of another drover version', {}, { cause });
  }
}
