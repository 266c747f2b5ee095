import { machine, type Host } from '../../src/core/clock.ts';

/**
 * Yields to the event loop once. Nothing here waits for a socket or a file, so whatever can be ready is ready without a
 * turn of the event loop. The tick is requested from a microtask: requested from another tick, it would come before the
 * microtasks.
 */
export const host: Host = {
  ...machine,
  turn: () => new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve))),
};
