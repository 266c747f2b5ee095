/** Modules that each compartment loads separately: a strategy shares no object with this program. */
export * as zod from 'zod';
export * as strategy from '../../strategy/index.ts';
