import { median, timed, type Result } from './result.ts';
import { fillOrder, startKernel } from './trading.ts';

const LIVES = 1_000;
const ROUNDS = 9;
/** Events of one order: timer, sent, placed, two lists. */
const EVENTS_OF_A_LIFE = 5;

/** Measures the life of market orders, one after the other: requested, sent, accepted, seen open, seen filled. */
export async function kernel(): Promise<Result[]> {
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const trading = startKernel({
      onTimer: ({ order }) => void order.buy('AAPL', { notional: '100' }, 'a benchmark'),
    });
    const ms = await timed(() => {
      for (let index = 0; index < LIVES; index++) fillOrder(trading, index);
    });
    rates.push((LIVES * EVENTS_OF_A_LIFE * 1_000) / ms);
  }
  return [{ name: 'kernel', value: median(rates), unit: 'events/s' }];
}
