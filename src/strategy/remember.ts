import { z } from 'zod';
import { InvalidValueError } from '../core/errors.ts';
import type { StrategyState } from './contract.ts';

/**
 * Types the stored state. A missing field starts with its default; changes to the returned fields are stored.
 * @throws {InvalidValueError} when the stored state does not fit, as after an edit of the strategy
 */
export function remember<Shape extends z.ZodObject>(state: StrategyState, shape: Shape): z.output<Shape> {
  const kept = shape.safeParse(state);
  if (!kept.success)
    throw new InvalidValueError(
      `The kept state does not fit this strategy; let its schema read what was kept, a new field with a default:\n${z.prettifyError(kept.error)}`,
    );
  return Object.assign(state, kept.data);
}
