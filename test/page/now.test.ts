import { describe, expect, test } from 'vitest';
import { shareOf } from '../../src/page/views/now/limits.tsx';
import { newestOf } from '../../src/page/views/now/notices.tsx';
import { sessionText } from '../../src/page/views/now/head.tsx';
import { grown, latestPrice } from '../../src/page/views/now/shown.ts';
import { BUSY } from '../cli/commands/daemon/statuses.ts';

describe('the view Now', () => {
  test.each([
    ['50', '200', 0.25],
    ['300', '200', 1.5],
    ['0', '0', 0],
    [null, '200', 0],
  ])('shows %s of %s as a share of %s', (used, limit, share) => {
    expect(shareOf({ used, limit })).toBe(share);
  });

  test('shows how long the session still lasts, by the clock of the daemon', () => {
    const session = { phase: 'regular', date: null, open: null, close: '2026-06-15T20:00:00.000Z' };
    const at = (iso: string) => sessionText(session, Date.parse(iso));
    expect(at('2026-06-15T17:30:00Z')).toBe('session, closes in 2 h (16:00:00)');
    expect(at('2026-06-15T20:00:01Z')).toBe('session');
    const closed = { phase: 'closed', date: null, open: '2026-06-16T13:30:00.000Z', close: null };
    expect(sessionText(closed, Date.parse('2026-06-15T21:00:00Z'))).toBe(
      'closed, opens in 16 h (2026-06-16 09:30:00)',
    );
  });

  test('lets ages grow, never below the value that was read', () => {
    const now = Date.parse(BUSY.now);
    expect([grown(500, BUSY, now + 2_000), grown(500, BUSY, now - 9_000), grown(null, BUSY, now)]).toEqual([
      2_500,
      500,
      null,
    ]);
  });

  test('ignores a price older than its status', () => {
    const event = (at: string) => ({ price: '2', at });
    const status = { now: '2026-06-15T14:00:00Z' };
    expect(latestPrice('1', status, event('2026-06-15T14:00:01Z'))).toBe('2');
    expect(latestPrice('1', status, event('2026-06-15T13:59:59Z'))).toBe('1');
    expect(latestPrice(null, status, undefined)).toBe(null);
  });

  test('shows each notice once, the newest first', () => {
    const notice = (at: string, text: string) => ({ at, kind: 'x', strategy: null, text });
    const [one, two] = [notice('2026-01-01', 'one'), notice('2026-01-02', 'two')];
    expect(newestOf([one, two, { ...two }], 5)).toEqual([two, one]);
    expect(newestOf([one, two], 1)).toEqual([two]);
  });
});
