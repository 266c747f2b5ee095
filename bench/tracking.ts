import { createVenue } from '../src/api/venue.ts';
import { InvariantError } from '../src/core/errors.ts';
import type { Venue } from '../src/domain/venue.ts';
import type { Kernel } from '../src/engine/kernel/kernel.ts';
import { sweepOrders } from '../src/engine/runtime/sweep.ts';
import { withLoopback } from './loopback.ts';
import { clientAt, listBody, USER } from './orderList.ts';
import { median, timed, type Result } from './result.ts';
import { MORNING, restOrder, startKernel } from './trading.ts';

const ANSWER_MS = 20;
const MANY = 100;
const CYCLES = 60;
const WARM_UP = 20;

/** One poll of the order list. */
export type Poll = () => Promise<void>;

/**
 * Measures one poll of the order list, from the request to the kernel's last decision on it, with 100 open orders and
 * with one.
 */
export const tracking = (): Promise<Result[]> =>
  withPoll(1, (few) =>
    withPoll(MANY, async (many) => {
      const [times, ratios] = [[] as number[], [] as number[]];
      for (let count = -WARM_UP; count < CYCLES; count++) {
        const fewMs = await timed(few);
        const manyMs = await timed(many);
        if (count < 0) continue;
        times.push(manyMs);
        ratios.push(manyMs / fewMs);
      }
      const ratio = { vs: 'one open order', x: median(ratios) };
      return [{ name: 'tracking', value: median(times), unit: `ms for ${MANY} open orders`, ratio }];
    }),
  );

/** Runs `use` with a poll of `count` open orders. */
export async function withPoll<T>(count: number, use: (poll: Poll) => Promise<T>): Promise<T> {
  const kernel = startKernel({
    onTimer: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: '10', price: '99.5' }),
  });
  const rows = Array.from({ length: count }, (_, index) => restOrder(kernel, index)).toReversed();
  return withLoopback({ body: listBody(rows, MORNING), delayMs: ANSWER_MS }, async (origin) => {
    const client = clientAt(origin);
    const venue = createVenue(client, { userAddress: USER });
    return use(() => cycle(kernel, venue, count)).finally(() => client.close());
  });
}

async function cycle(kernel: Kernel, venue: Venue, live: number): Promise<void> {
  const { rows, complete } = await sweepOrders(venue, { live, oldestLive: MORNING });
  const { facts } = kernel.handle({ kind: 'swept', asked: MORNING, rows, complete }, MORNING);
  if (rows.length !== live || facts.length > 0)
    throw new InvariantError('the list does not match the orders');
}
