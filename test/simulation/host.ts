import { machine, type Host } from '../../src/core/clock.ts';

/**
 * Nothing here waits for a socket or a file, so what can be ready is ready without a turn of the event loop. The tick is
 * asked for from a microtask: asked for from another tick, it would come before the microtasks.
 */
export const host: Host = {
  ...machine,
  turn: () => new Promise((resolve) => queueMicrotask(() => process.nextTick(resolve))),
};
