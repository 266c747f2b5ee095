import { InvalidValueError } from '../../core/errors.ts';

/** @throws {InvalidValueError} unless `length` is a whole number of at least `least` */
export function requireLength(name: string, length: number, least = 1): void {
  if (!Number.isInteger(length) || length < least)
    throw new InvalidValueError(
      `${name} needs a length that is a whole number from ${least} on, not ${length}`,
    );
}

/** @throws {InvalidValueError} unless `multiple` is a finite number above 0; `what` names it */
export function requireMultiple(name: string, multiple: number, what = 'width'): void {
  if (!(multiple > 0 && multiple < Infinity))
    throw new InvalidValueError(`${name} needs a ${what} that is a number above 0, not ${multiple}`);
}

/** @throws {InvalidValueError} unless both are whole numbers above 0, and `fast` is below `slow` */
export function requireFaster(name: string, fast: number, slow: number): void {
  requireLength(name, fast);
  requireLength(name, slow);
  if (fast >= slow)
    throw new InvalidValueError(`${name} needs a fast length below the slow one, not ${fast} and ${slow}`);
}
