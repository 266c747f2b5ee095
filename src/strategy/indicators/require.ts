import { InvalidValueError } from '../../core/errors.ts';

/** @throws {InvalidValueError} unless `length` is a whole number, and `least` or more */
export function requireLength(name: string, length: number, least = 1): void {
  if (!Number.isInteger(length) || length < least)
    throw new InvalidValueError(
      `${name} needs a length that is a whole number from ${least} on, not ${length}`,
    );
}

/** @throws {InvalidValueError} unless `multiple` is a finite number above 0 */
export function requireMultiple(name: string, multiple: number): void {
  if (!(multiple > 0 && multiple < Infinity))
    throw new InvalidValueError(`${name} needs a width that is a number above 0, not ${multiple}`);
}
