import { InvalidValueError } from '../core/errors.ts';
import type { StrategyState } from '../strategy/contract.ts';

/**
 * The state of a strategy as it is kept. What JSON would make something else of comes back changed after a restart, so it is
 * refused: NaN as null, a Map as nothing.
 * @throws {InvalidValueError} naming the field, and what it is
 */
export function stateText(state: StrategyState): string {
  return JSON.stringify(state, (name, value: unknown) => {
    const problem = problemOf(value);
    if (problem === null) return value;
    throw new InvalidValueError(
      `the state cannot keep ${problem}, which "${name}" is: keep a number, text or null`,
    );
  });
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
