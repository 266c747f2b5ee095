import { z } from 'zod';
import { InvalidValueError } from '../core/errors.ts';
import type { StrategyState } from './contract.ts';

/**
 * Gives the kept state a shape. A missing field starts with its default; changes of the returned fields in the hooks are kept.
 * @throws {InvalidValueError} when the kept state has another shape, as after an edit of the strategy
 */
export function remember<Shape extends z.ZodObject>(state: StrategyState, shape: Shape): z.output<Shape> {
  const kept = shape.safeParse(state);
  if (!kept.success)
    throw new InvalidValueError(
      `The kept state does not fit this strategy; let its schema read what was kept, a new field with a default:\n${z.prettifyError(kept.error)}`,
    );
  return Object.assign(state, kept.data);
}
