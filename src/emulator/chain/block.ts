import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { State } from '../state.ts';

/** The first block that can take what is ready at `at`. Blocks stand on whole seconds. */
export const blockAfter = ({ blocks: { everyMs } }: Pick<State, 'blocks'>, at: number): EpochMs =>
  epochMs(Math.ceil(at / everyMs) * everyMs);
