import type { Realm } from '../../../src/cli/strategies/loadStrategy.ts';

/** The realm of the tests themselves, which stays as it is. */
export const openRealm: Realm = { lock: () => undefined, print: () => undefined };
