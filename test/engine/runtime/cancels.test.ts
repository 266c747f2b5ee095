import { expect, test } from 'vitest';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage } from '../stage.ts';

const TIMERS = [
  { name: 'place', at: '10:02' },
  { name: 'cancel', at: '10:30' },
];
const data = { quotes: ['AAPL'], timers: TIMERS };

/** Places `count` limit orders at once, and later cancels them all at once. */
const crowd = (count: number): StrategyHooks => ({
  onTimer({ order, timer }) {
    if (timer === 'cancel') order.cancel({});
    else
      for (let each = 0; each < count; each++)
        order.limit('AAPL', { side: 'buy', shares: 1, price: (90 - each / 10).toFixed(2) });
  },
});

/** A venue that refuses expired sends, and records the lifetime of each cancel. */
function stageOf(count: number) {
  const lives: number[] = [];
  const stage = new Stage({ hooks: { solo: crowd(count) }, data, capital: '90000' });
  const { clock, venue } = stage;
  venue.cancel = async (id, gate) => {
    const permit = gate.open();
    if ('stop' in permit) return { kind: 'stopped', reason: permit.stop };
    lives.push(permit.deadline * 1000 - clock.now());
    gate.commit({ method: 'DELETE', uri: '/', timestamp: clock.now(), nonce: '', body: '' });
    await clock.sleep(50);
    const row = venue.rows.find(({ orderId }) => orderId === id);
    if (row) void clock.sleep(3 * SECOND).then(() => venue.end(row, 'cancelled'));
    return { kind: 'accepted', txHash: `cancel of ${id}` };
  };
  return { stage, lives };
}

test('orders and cancels beyond the number of deadlines wait for those under way, and all are sent', async () => {
  const { stage, lives } = stageOf(150);
  await stage.play(20 * MINUTE);
  expect(stage.states.filter((state) => state === 'working')).toHaveLength(150);
  await stage.pass(30 * MINUTE);
  expect(stage.states.filter((state) => state === 'closed')).toHaveLength(150);
  expect(lives).toHaveLength(150);
  expect(Math.min(...lives)).toBeGreaterThan(25 * SECOND);
});

test('a cancel refused while its order stays open is repeated without a new request', async () => {
  const once: StrategyHooks = {
    onStart: ({ order }) => void order.limit('AAPL', { side: 'buy', shares: 10, price: 90 }),
    onTimer: ({ order }) => order.cancel({ symbol: 'AAPL' }),
  };
  const data = { quotes: ['AAPL'], timers: [{ name: 't', at: '10:01' }] };
  const stage = new Stage({ hooks: { solo: once }, data });
  stage.venue.cancelFates.push('refuse', 'refuse');
  await stage.play(MINUTE + 20 * SECOND);
  expect([stage.venue.cancels, ...stage.states]).toEqual([1, 'working']);
  await stage.pass(2 * MINUTE);
  expect([stage.venue.cancels, ...stage.states]).toEqual([3, 'closed']);
});
