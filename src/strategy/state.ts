import { z } from 'zod';
import { InvalidValueError } from '../core/errors.ts';
import type { StrategyState } from './contract.ts';

/**
 * Gives the state that the engine keeps a shape. What is missing starts with its default; change the fields of the
 * answer in the hooks and they are kept.
 * @throws {InvalidValueError} when what was kept has another shape, as after an edit of the strategy
 */
export function remember<Shape extends z.ZodObject>(state: StrategyState, shape: Shape): z.output<Shape> {
  const kept = shape.safeParse(state);
  if (!kept.success)
    throw new InvalidValueError(
      `The kept state does not fit this strategy; let its schema read what was kept, a new field with a default:\n${z.prettifyError(kept.error)}`,
    );
  return Object.assign(state, kept.data);
}
