import { describe, expect, test } from 'vitest';
import { newYorkTime } from '../../../src/calendar/index.ts';
import { parseCash } from '../../../src/core/amount.ts';
import type { Limits } from '../../../src/domain/limits.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { MINUTE, SECOND, Stage, type StageOptions } from '../stage.ts';
import { partingOf } from '../operator/commands.ts';

/** Alternately buys and sells AAPL, each at a timer. */
const inTurn: StrategyHooks = {
  onTimer({ order, view }) {
    if (view.position('AAPL') > 0) order.sell('AAPL', { all: true });
    else order.buy('AAPL', { notional: '1000' });
  },
};
const minutes = Array.from({ length: 40 }, (_, index) => 2 + index * 2);
const optionsOf = (limits: Limits, more: StageOptions = {}): StageOptions => ({
  hooks: { solo: inTurn },
  data: {
    quotes: ['AAPL'],
    timers: minutes.map((at) => ({
      name: `t${at}`,
      at: `${10 + Math.floor(at / 60)}:${String(at % 60).padStart(2, '0')}`,
    })),
  },
  limits,
  ...more,
});

/** Passes the next timers, two minutes each, and fills their orders at these prices. */
async function trade(stage: Stage, ...prices: readonly string[]): Promise<Stage> {
  for (const price of prices) {
    stage.venue.prices.set('AAPL', parseCash(price));
    const before = stage.venue.rows.length;
    await stage.pass(2 * MINUTE - 40 * SECOND);
    if (stage.venue.rows.length > before) stage.venue.fill(stage.venue.last);
    await stage.pass(40 * SECOND);
  }
  return stage;
}
const sides = ({ orders }: Stage) => orders.map(({ terms }) => terms.side[0]).join('');
const started = (options: StageOptions) => new Stage(options).play(MINUTE + 10 * SECOND);

describe('a loss streak', () => {
  const limits: Limits = { lossStreak: { trades: 2, pause: { minutes: 11 } } };

  test('pauses buys for its minutes after the last loss, and says until when', async () => {
    const options = optionsOf(limits);
    const stage = await trade(await started(options), '100', '99', '100', '99');
    expect(sides(stage)).toBe('bsbs');
    await trade(stage, '100', '100', '100', '100');
    expect(sides(stage)).toBe('bsbs');
    expect(stage.said(/dropped, the last 2 exits were losses: no buys until 10:\d\d \(lossStreak\)/)).toBe(
      true,
    );
    await trade(stage, '100', '100', '100');
    expect(sides(stage).slice(4, 6)).toBe('bs');
    expect(partingOf(stage, options)).toBeNull();
  });

  test('ends with an exit without a loss', async () => {
    const stage = await trade(
      await started(optionsOf(limits)),
      '100',
      '99',
      '100',
      '101',
      '100',
      '99',
      '100',
    );
    expect(sides(stage)).toBe('bsbsbsb');
  });

  test('outlasts a kill, and pauses the strategy that has the limit', async () => {
    const own = optionsOf({}, { ownLimits: limits });
    const first = await trade(await started(own), '100', '99', '100', '99');
    const next = await new Stage({ ...own, after: first }).play(2 * MINUTE);
    expect(next.said(/the last 2 exits of solo were losses/)).toBe(true);
  });

  test('with the pause `session` lasts until the close', async () => {
    const stage = await started(optionsOf({ lossStreak: { trades: 1, pause: 'session' } }));
    await trade(stage, '100', '99', '100');
    expect(sides(stage)).toBe('bs');
    expect(stage.said(/the last 1 exits were losses: no buys until 16:00/)).toBe(true);
  });

  test('with the pause `session` ends with its session if a loss is booked after the close', async () => {
    const limits: Limits = { lossStreak: { trades: 1, pause: 'session' } };
    const data = {
      quotes: ['AAPL'],
      timers: ['close-5m', 'close-2m', 'open+2m'].map((at) => ({ name: at, at })),
    };
    const start = newYorkTime('2026-06-15', '15:54');
    const stage = await new Stage({ ...optionsOf(limits, { data }), start }).play(0);
    const fillAfter = async (price: string, ms: number) => {
      stage.venue.prices.set('AAPL', parseCash(price));
      await stage.pass(ms);
      stage.venue.fill(stage.venue.last);
      await stage.pass(MINUTE);
    };
    await fillAfter('100', 2 * MINUTE);
    await fillAfter('99', 3 * MINUTE + 10 * SECOND);
    expect(sides(stage)).toBe('bs');
    await stage.pass(newYorkTime('2026-06-16', '09:33') - stage.clock.now());
    expect(sides(stage)).toBe('bsb');
    expect(stage.said(/no buys until/)).toBe(false);
  });

  test('lasts although later exits have brought a profit', async () => {
    const turns = [...'abcabca'];
    const only = (id: string): StrategyHooks => ({
      onTimer: (at) => turns[Number(at.timer.slice(1)) / 2 - 1] === id && inTurn.onTimer?.(at),
    });
    const options = optionsOf({ lossStreak: { trades: 1, pause: 'session' } });
    const stage = await started({ ...options, hooks: { a: only('a'), b: only('b'), c: only('c') } });
    await trade(stage, '100', '98', '98', '99', '99', '99', '99');
    expect(sides(stage)).toBe('bbbsss');
  });
});

describe('a cooldown after a loss', () => {
  test('pauses buys of the stock that was sold at a loss', async () => {
    const options = optionsOf({ cooldown: { minutes: 5 } });
    const stage = await trade(await started(options), '100', '99', '100', '100');
    expect(sides(stage)).toBe('bs');
    expect(
      stage.said(/dropped, the last exit of AAPL was a loss: no buys of it until 10:\d\d \(cooldown\)/),
    ).toBe(true);
    await trade(stage, '100', '100');
    expect(sides(stage).slice(0, 3)).toBe('bsb');
    expect(partingOf(stage, options)).toBeNull();
  });

  test('does not follow an exit with a profit', async () => {
    const stage = await trade(await started(optionsOf({ cooldown: { minutes: 5 } })), '100', '102', '100');
    expect(sides(stage)).toBe('bsb');
  });
});
