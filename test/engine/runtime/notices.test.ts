import { describe, expect, test } from 'vitest';
import { WAD } from '../../../src/core/amount.ts';
import { epochMs } from '../../../src/core/brand.ts';
import type { Notice } from '../../../src/engine/state/notice.ts';
import type { HookContext } from '../../../src/strategy/index.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';

/** A Monday, 17:00 in New York: after the close. */
const EVENING = epochMs(Date.parse('2026-06-15T21:00:00Z'));
/** The same day, 08:00: before the open. */
const EARLY = epochMs(Date.parse('2026-06-15T12:00:00Z'));

const textsOf = ({ notices }: Stage, kind: Notice['kind']) =>
  notices.filter((notice) => notice.kind === kind).map(({ text }) => text);

describe('the notice of an order that waits for the open', () => {
  type Order = (order: HookContext['order']) => void;
  test.each<[what: string, act: Order]>([
    ['buy 3 AAPL (dip)', (order) => void order.buy('AAPL', { shares: 3 }, 'dip')],
    ['buy AAPL for 250', (order) => void order.buy('AAPL', { notional: 250 })],
    ['sell all AAPL (trailing stop)', (order) => void order.sell('AAPL', { all: true }, 'trailing stop')],
    [
      'bring AAPL to 45 %',
      (order) => {
        order.target('AAPL', { weight: 0.45 });
      },
    ],
    [
      'bring AAPL to 10 shares',
      (order) => {
        order.target('AAPL', { shares: 10 });
      },
    ],
    [
      'bring AAPL to 500 mUSD',
      (order) => {
        order.target('AAPL', { notional: 500 });
      },
    ],
    [
      'buy 2 AAPL at 99.5',
      (order) => void order.limit('AAPL', { side: 'buy', shares: 2, price: 99.5, goodTill: 'day' }),
    ],
  ])('names the order, the reason and the date and time of the open: %s', async (what, act) => {
    const stage = await new Stage({ start: EVENING, hooks: { solo: atStart(act) } }).play(10 * SECOND);
    expect(textsOf(stage, 'decision')).toEqual([
      `${what}: the session is closed, will be sent at 09:30 on 2026-06-16`,
    ]);
  });

  test("leaves the date out when it is today's", async () => {
    const buy = atStart((order) => void order.buy('AAPL', { shares: 3 }));
    const stage = await new Stage({ start: EARLY, hooks: { solo: buy } }).play(10 * SECOND);
    expect(textsOf(stage, 'decision')).toEqual(['buy 3 AAPL: the session is closed, will be sent at 09:30']);
  });
});

test('the notice of a dropped order names the order and the reason', async () => {
  const stage = await new Stage({
    hooks: { solo: atStart((order) => void order.sell('AAPL', { shares: 5 }, 'stop')) },
  }).play(10 * SECOND);
  expect(textsOf(stage, 'decision')).toEqual(['sell 5 AAPL (stop): dropped, 5 AAPL to sell, 0 free']);
});

describe('the all-clear after an outage', () => {
  test('is sent for reads of quotes, orders and account', async () => {
    const stage = await new Stage().play(10 * SECOND);
    stage.venue.readsFail = true;
    await stage.pass(10 * MINUTE);
    expect(stage.alarms.join('\n')).toContain(
      'nothing is sent until orders and account have been read again',
    );
    stage.venue.readsFail = false;
    await stage.pass(2 * MINUTE);
    const cleared = textsOf(stage, 'clear');
    expect(cleared).toContain('orders and account have been read again: sending continues');
    expect(cleared).toContain('the venue answers again: quotes are up to date');
    expect(cleared).toHaveLength(2);
  });

  test('is not sent when no alarm was raised', async () => {
    const stage = await new Stage().play(10 * SECOND);
    stage.venue.readsFail = true;
    await stage.pass(6 * SECOND);
    stage.venue.readsFail = false;
    await stage.pass(2 * MINUTE);
    expect(textsOf(stage, 'clear')).toEqual([]);
  });

  test('is sent for a difference between ledger and venue', async () => {
    const stage = await new Stage().play(10 * SECOND);
    stage.venue.cash += WAD;
    await stage.pass(5 * MINUTE);
    expect(stage.alarms.length).toBeGreaterThan(0);
    stage.venue.cash -= WAD;
    await stage.pass(5 * MINUTE);
    expect(textsOf(stage, 'clear')).toContain('the difference in mUSD is gone');
  });
});
