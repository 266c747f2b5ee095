import type { LoadOptions } from '../../../src/app/strategies/loadStrategy.ts';

/** The realm of the tests themselves, which stays as it is. */
export const openRealm: LoadOptions = { lock: () => undefined, print: () => undefined, kept: [] };
