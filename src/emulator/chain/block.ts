import { epochMs, type EpochMs } from '../../core/brand.ts';

/** Time between blocks. They stand on whole seconds. */
const BLOCK_MS = 1000;

/** The first block that can take what is ready at `at`. */
export const blockAfter = (at: number): EpochMs => epochMs(Math.ceil(at / BLOCK_MS) * BLOCK_MS);
