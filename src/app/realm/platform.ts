/** Modules that each compartment has of its own: nothing of this program's is shared with a strategy. */
export * as zod from 'zod';
export * as strategy from '../../strategy/index.ts';
