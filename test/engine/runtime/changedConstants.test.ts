import { describe, expect, test } from 'vitest';
import type { Command } from '../../../src/emulator/machine/commands.ts';
import type { Orders } from '../../../src/strategy/index.ts';
import { ChangingVenue, type Happening } from '../changing.ts';

const buy = (symbol: string, notional = '100') => ({
  order: (order: Orders) => void order.buy(symbol, { notional }),
});
const limit = (price: number) => ({
  order: (order: Orders) => void order.limit('AAPL', { side: 'buy', shares: 1, price }),
});

const spaced = { failureSpacingMs: 15_000 };
const told = (venue: ChangingVenue, text: string) =>
  venue.world.notices.filter((notice) => notice.text.includes(text));
const expectSound = (venue: ChangingVenue) => {
  expect(venue.world.summary?.reconciliation.differences).toBe(0);
};

describe('a venue minimum that rises', () => {
  test("refuses smaller orders with the venue's words, and larger orders continue", async () => {
    const venue = await new ChangingVenue().play(5, [
      { minute: 0, constants: { minNotional: '50' } },
      { minute: 1, ...buy('AAPL', '20') },
      { minute: 2, ...buy('SPY', '60') },
    ]);
    expect([venue.ends, venue.frozen]).toEqual([['refused', 'filled'], []]);
    expect(told(venue, 'refused, POST /api/v1/orders/send: notional must be at least 50 mUSD')).toHaveLength(
      1,
    );
    expectSound(venue);
  });

  test("freezes the stock after three refusals in a row, with the venue's words", async () => {
    const venue = await new ChangingVenue().play(
      11,
      [
        { minute: 0, constants: { minNotional: '50' } },
        ...[1, 4, 8].map((minute) => ({ minute, ...buy('AAPL', '20') })),
      ],
      spaced,
    );
    expect([venue.ends, venue.frozen]).toEqual([['refused', 'refused', 'refused'], ['AAPL']]);
    expect(venue.alarms).toEqual([
      expect.stringMatching(/^AAPL is frozen.*notional must be at least 50 mUSD/),
    ]);
  });
});

test("a wider price step refuses prices off it with the venue's words, and other prices continue", async () => {
  const venue = await new ChangingVenue().play(5, [
    { minute: 0, constants: { tick: '0.05' } },
    { minute: 1, ...limit(150.01) },
    { minute: 2, ...limit(150.05) },
  ]);
  expect([venue.ends, venue.frozen]).toEqual([['refused', 'working'], []]);
  expect(told(venue, 'price must be a multiple of 0.05')).toHaveLength(1);
});

describe('a shorter page of orders', () => {
  const orders: Happening[] = Array.from({ length: 30 }, (_, index) => ({
    minute: 1 + index / 5,
    ...buy(index % 2 === 0 ? 'SPY' : 'AAPL', '10'),
  }));

  test('is read by its own size, and orders continue', async () => {
    const venue = await new ChangingVenue().play(14, [
      ...orders,
      { minute: 9, constants: { listRowsMax: 20 } },
      { minute: 11, ...buy('AAPL') },
      { minute: 12, ...buy('SPY') },
    ]);
    expect([new Set(venue.ends), venue.ends.length]).toEqual([new Set(['filled']), 32]);
    expect([venue.alarms, venue.frozen]).toEqual([[], []]);
    expectSound(venue);
  });

  test('does not hide that an order is missing from the list', async () => {
    const lost = { kind: 'lost-response', endpoint: 'POST /api/v1/orders/send', times: 1 };
    const vanish = { kind: 'edit', endpoint: 'GET /api/v1/orders', path: 'data.rows.0', remove: true };
    const venue = await new ChangingVenue().play(20, [
      ...orders.slice(0, 15),
      { minute: 9, faults: { rules: [lost, vanish] } },
      { minute: 10, ...buy('AAPL') },
    ]);
    expect(venue.ends.at(-1)).toBe('unknown');
  });
});

test('a history response with fewer bars is completed to the length of the warm-up', async () => {
  const venue = new ChangingVenue();
  venue.world.command({ kind: 'constants', body: { barsMax: 20 } });
  const warmUp = 90;
  await venue.world.run(1, { bars: [{ symbol: 'AAPL', interval: '1m', warmUp }] });
  expect(venue.factsOf('bar').filter(({ warm }) => warm).length).toBeGreaterThanOrEqual(warmUp);
});

describe('changed time limits of the venue', () => {
  test('refuse the key while the timestamp window is too narrow, and sends continue once it is wide again', async () => {
    const venue = await new ChangingVenue().play(9, [
      { minute: 1, constants: { windowMs: 0 } },
      { minute: 2, ...buy('AAPL') },
      { minute: 5, constants: { windowMs: 45_000 } },
      { minute: 7, ...buy('SPY') },
    ]);
    expect([venue.ends.at(-1), venue.frozen]).toEqual(['filled', []]);
    expect(venue.alarms).toEqual([expect.stringContaining('the venue refuses the key')]);
    expectSound(venue);
  });

  test('change nothing when the timestamp window is narrower but still met', async () => {
    const venue = await new ChangingVenue().play(4, [
      { minute: 0, constants: { windowMs: 5_000 } },
      { minute: 1, ...buy('AAPL') },
    ]);
    expect([venue.ends, venue.alarms]).toEqual([['filled'], []]);
  });

  test("refuse a deadline that is too far ahead, with the venue's words", async () => {
    const venue = await new ChangingVenue().play(4, [
      { minute: 0, constants: { deadlineMaxS: 30 } },
      { minute: 1, ...buy('AAPL') },
    ]);
    expect([venue.ends, venue.frozen]).toEqual([['refused'], []]);
    expect(told(venue, 'deadline must be at most 30 seconds ahead')).toHaveLength(1);
    const shorter = await new ChangingVenue().play(
      4,
      [
        { minute: 0, constants: { deadlineMaxS: 30 } },
        { minute: 1, ...buy('AAPL') },
      ],
      { deadlineMs: 25_000 },
    );
    expect(shorter.ends).toEqual(['filled']);
  });
});

describe('a renamed status word of the venue', () => {
  const renamed = (word: string, more: readonly Happening[] = []): Promise<ChangingVenue> =>
    new ChangingVenue().play(9, [
      { minute: 0, constants: { words: { [word]: 'Levitating' } } },
      { minute: 1, ...buy('AAPL') },
      { minute: 5, constants: { words: {} } },
      { minute: 6, ...buy('AAPL') },
      { minute: 7, ...buy('SPY') },
      ...more,
    ]);

  test.each(['Filled', 'placing', 'Pending'])(
    'for %s freezes the stock with the word and books nothing by it, and other stocks continue',
    async (word) => {
      const venue = await renamed(word);
      expect(venue.frozen).toEqual(['AAPL']);
      expect(venue.alarms[0]).toBe('AAPL is frozen: order solo-1.1 has the unknown status "Levitating"');
      expect(venue.ends).toEqual(['filled', 'filled']);
      expect(venue.orders.map(({ terms }) => terms.symbol)).toEqual(['AAPL', 'SPY']);
      expectSound(venue);
    },
  );

  test.each(['New', 'Partial filled'])(
    'for %s in a link changes nothing, because the order itself has its status',
    async (word) => {
      const venue = await renamed(word);
      expect([venue.ends, venue.frozen, venue.alarms]).toEqual([['filled', 'filled', 'filled'], [], []]);
    },
  );

  test('for canceling leaves the cancel under way until the order has ended', async () => {
    const venue = await new ChangingVenue().play(6, [
      { minute: 0, constants: { words: { canceling: 'Levitating' } } },
      { minute: 1, ...limit(150) },
      { minute: 2, order: (order) => order.cancel({ symbol: 'AAPL' }) },
    ]);
    expect(venue.ends).toEqual(['cancelled']);
    expectSound(venue);
  });

  test('for an enabled delegation counts as off, and nothing is sent until the known word is back', async () => {
    const venue = await renamed('enable');
    expect(venue.alarms[0]).toBe('One Click is off: nothing can be sent');
    expect(venue.ends).toEqual(['abandoned', 'filled', 'filled']);
  });
});

describe('a reworded refusal of the venue', () => {
  test('proves nothing, so that the next order of the stock waits for the fence', async () => {
    const venue = await new ChangingVenue().play(6, [
      {
        minute: 0,
        constants: {
          minNotional: '50',
          texts: [{ find: 'notional must be at least', say: 'too small, below' }],
        },
      },
      { minute: 1, ...buy('AAPL', '20') },
      { minute: 1.5, ...buy('AAPL', '60') },
      { minute: 2, ...buy('SPY', '60') },
    ]);
    expect(venue.ends).toEqual(['unknown', 'filled']);
    expect(told(venue, 'waits for order solo-1.1 on the same side')).toHaveLength(1);
    expect(
      told(venue, 'no usable response (POST /api/v1/orders/send: too small, below 50 mUSD'),
    ).toHaveLength(1);
    expectSound(venue);
  });

  const closing: Command = { kind: 'session', body: { date: '2026-06-15', close: '10:02' } };

  test.each([
    ['another name of a session', [{ find: 'after-hours', say: 'evening' }], 'unnamed'],
    ['no named session', [{ find: ', current session: after-hours', say: '' }], 'unnamed'],
  ])('with %s ends market orders for the day', async (_what, texts, named) => {
    const venue = await new ChangingVenue().play(6, [
      { minute: 0, constants: { texts } },
      { minute: 1, command: closing },
      { minute: 3, ...buy('AAPL') },
      { minute: 4, ...buy('SPY') },
    ]);
    expect(venue.ends).toEqual(['refused']);
    expect(venue.alarms).toEqual([
      expect.stringContaining(
        `the venue says that it is in another session (${named}) than the calendar has`,
      ),
    ]);
    expect(venue.factsOf('sessionDoubted')).toHaveLength(1);
  });
});

describe('order rows in another form', () => {
  const inForm = (how: string): Promise<ChangingVenue> =>
    new ChangingVenue().play(8, [
      { minute: 2, faults: { rules: [{ kind: 'form', how, endpoint: 'GET /api/v1/orders' }] } },
      { minute: 3, ...buy('AAPL') },
      { minute: 5, faults: {} },
      { minute: 6, ...buy('SPY') },
    ]);

  test.each(['upper-case', 'bare', 'milliseconds', 'padded', 'untold', 'link-only'])(
    'count as up to date, or wait for a complete row: %s',
    async (how) => {
      const venue = await inForm(how);
      expect([venue.ends, venue.frozen]).toEqual([['filled', 'filled'], []]);
      expectSound(venue);
    },
  );

  test.each(['numeric', 'garbled'])('with %s amounts are not booked, and the stock freezes', async (how) => {
    const venue = await inForm(how);
    expect([venue.ends, venue.frozen]).toEqual([['filled', 'filled'], ['AAPL']]);
    expect(venue.alarms[0]).toContain("AAPL is frozen: the venue's row of order solo-1.1 is unreadable");
    expectSound(venue);
  });
});
