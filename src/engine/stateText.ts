import { InvalidValueError } from '../core/errors.ts';
import { isNestedDeeper, LEVELS_MAX } from '../core/nesting.ts';
import type { StrategyState } from '../strategy/contract.ts';

/** Kept from before a strategy is loaded: it may replace the global. */
const { stringify } = JSON;

/** Most bytes of JSON that a state may be: it is written down again with every change. */
const STATE_MAX = 1_000_000;
/** Most bytes that one UTF-16 unit takes in UTF-8. */
const BYTES_PER_UNIT = 3;

/**
 * The state of a strategy as it is kept. What JSON would make something else of comes back changed after a restart, so it is
 * refused: NaN as null, a Map as nothing.
 * @throws {InvalidValueError} naming the field, and what it is; or the size of a state that is too large
 */
export function stateText(state: StrategyState): string {
  const text = stringify(state, (name, value: unknown) => {
    const problem = problemOf(value);
    if (problem === null) return value;
    throw new InvalidValueError(
      `the state cannot keep ${problem}, which "${name}" is: keep a number, text or null`,
    );
  });
  if (isNestedDeeper(text, LEVELS_MAX))
    throw new InvalidValueError(
      `the state is nested deeper than ${LEVELS_MAX} levels: keep a flat object or list`,
    );
  const size = text.length * BYTES_PER_UNIT > STATE_MAX ? Buffer.byteLength(text) : 0;
  if (size <= STATE_MAX) return text;
  throw new InvalidValueError(
    `the state is ${size.toLocaleString('en-US')} bytes of JSON, and at most ${STATE_MAX.toLocaleString('en-US')} are kept: ` +
      'remember less, for example a sum instead of every value',
  );
}

function problemOf(value: unknown): string | null {
  switch (typeof value) {
    case 'number':
      return Number.isFinite(value) ? null : String(value);
    case 'bigint':
    case 'symbol':
    case 'function':
      return `a ${typeof value}`;
    case 'object':
      return isPlain(value) ? null : 'a Map, a Set or an object of a class';
    default:
      return null;
  }
}

function isPlain(value: object | null): boolean {
  if (value === null || Array.isArray(value)) return true;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === null || prototype === Object.prototype;
}
