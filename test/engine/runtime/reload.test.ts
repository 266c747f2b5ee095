import { describe, expect, test } from 'vitest';
import { createTradingCalendar, newYorkClock } from '../../../src/calendar/index.ts';
import { epochMs } from '../../../src/core/brand.ts';
import { parseCash } from '../../../src/core/amount.ts';
import type { Reload } from '../../../src/domain/operator/command.ts';
import type { Settings } from '../../../src/domain/operator/settings.ts';
import { replay } from '../../../src/engine/runtime/replay.ts';
import { Kernel } from '../../../src/engine/kernel/kernel.ts';
import { entryOf } from '../../store/memoryJournal.ts';
import { atStart, MINUTE, SECOND, Stage } from '../stage.ts';
import type { CommandId } from '../../../src/domain/operator/restriction.ts';

const polling = { quotesMs: 5_000, ordersMs: 5_000, restingMs: 10_000, accountMs: 30_000 };
const settings = (orderNotional: string): Settings => ({
  limits: { orderNotional: parseCash(orderNotional) },
  ownLimits: { solo: { positionNotional: parseCash('900') } },
  polling,
});
const reload = (stage: Stage, given: Partial<Reload>) =>
  stage.runner.command({
    id: `command-${Math.random().toString(36).slice(2)}` as CommandId,
    by: 'ann',
    reason: 'more room',
    command: { kind: 'reload', changes: {}, ...given },
  });
const breach = ({ runner }: Stage): string | null => {
  const { rules } = runner.kernel.context;
  return rules.limits.orderNotional === undefined ? null : String(rules.limits.orderNotional);
};

test('a reload applies new limits and periods from then on, and is journaled with who and why', async () => {
  const stage = await new Stage({ limits: { orderNotional: parseCash('100') } }).play(10 * SECOND);
  const answer = await reload(stage, {
    changes: { 'limits.orderNotional': { from: '100', to: '500' } },
    before: settings('100'),
    settings: settings('500'),
    needsRestart: ['log.level'],
  });
  expect(answer).toEqual({
    kind: 'done',
    text: 'applies from now on:\nlimits.orderNotional: 100 → 500\nlog.level: needs a restart, and is not applied',
    result: {
      changes: { 'limits.orderNotional': { from: '100', to: '500' } },
      needsRestart: ['log.level'],
      dryRun: false,
    },
  });
  expect(breach(stage)).toBe(String(parseCash('500')));
  expect(stage.runner.kernel.context.polling).toEqual(polling);
  expect(stage.lines.join('\n')).toContain('more room');
});

test('a reload applies rules for external activity, and one without them keeps those of the run', async () => {
  const external = { orders: 'count', deposits: '', withdrawals: null, stockMoves: null } as const;
  const stage = await new Stage().play(10 * SECOND);
  const { context } = stage.runner.kernel;
  await reload(stage, { settings: { ...settings('500'), external } });
  expect(context.rules.external).toEqual(external);
  await reload(stage, { settings: settings('400') });
  expect(context.rules.external).toEqual(external);
});

test('a refused reload and a dry-run reload change nothing', async () => {
  const stage = await new Stage({ limits: { orderNotional: parseCash('100') } }).play(10 * SECOND);
  const refusal = { because: 'usage', text: 'x.yaml:1: limits: must be a mapping' } as const;
  expect(await reload(stage, { refusal })).toEqual({ kind: 'refused', ...refusal });
  expect(await reload(stage, { dryRun: true })).toMatchObject({ kind: 'done' });
  expect(breach(stage)).toBe(String(parseCash('100')));
});

test('a restart uses its config and not an earlier reload', async () => {
  const first = await new Stage().play(10 * SECOND);
  await reload(first, { settings: settings('500') });
  const second = await new Stage({ after: first }).play(10 * SECOND);
  expect(breach(second)).toBeNull();
});

describe('a reload of the calendar', () => {
  const early = { date: '2026-06-15', close: '13:00', reason: 'a storm' };
  const hours = (...calendar: NonNullable<Settings['calendar']>) => ({ ...settings('500'), calendar });

  /** A run at 10:00 whose strategy records its sessions and timers, and buys at each timer. */
  function noting() {
    const heard: string[] = [];
    const stage = new Stage({
      more: { calendar: createTradingCalendar() },
      data: { quotes: ['AAPL'], timers: [{ name: 'late', at: 'close-30m' }] },
      hooks: {
        solo: {
          onSession: ({ change, view }) => void heard.push(`${change} ${newYorkClock(epochMs(view.now))}`),
          onTimer: ({ order, timer, view }) => {
            heard.push(`${timer} ${newYorkClock(epochMs(view.now))}`);
            order.buy('AAPL', { notional: 100 });
          },
        },
      },
    });
    return { stage, heard };
  }

  test('with an early close of today closes the session then, and its timers follow the close', async () => {
    const { stage, heard } = noting();
    await stage.play(MINUTE);
    await reload(stage, { before: hours(), settings: hours(early) });
    await stage.pass(240 * MINUTE);
    expect(heard.slice(1)).toEqual([
      expect.stringMatching(/^late 12:30/),
      expect.stringMatching(/^closed 13:00/),
    ]);
    expect(stage.runner.kernel.context.session).toBeUndefined();
  });

  test('with a close that has passed closes the session at once', async () => {
    const { stage, heard } = noting();
    await stage.play(200 * MINUTE);
    await reload(stage, { before: hours(), settings: hours(early) });
    await stage.pass(SECOND);
    expect(heard.at(-1)).toMatch(/^closed 13:20/);
  });

  test('that closes the day sends nothing more until the next open', async () => {
    const { stage } = noting();
    await stage.play(MINUTE);
    await reload(stage, {
      before: hours(),
      settings: hours({ date: '2026-06-15', closed: true, reason: 'a storm' }),
    });
    await stage.pass(24 * 60 * MINUTE);
    expect(stage.venue.rows).toEqual([]);
    await stage.pass(6 * 60 * MINUTE);
    expect(stage.venue.rows).toHaveLength(1);
  });

  test('that closes the day early is a normal close for strategies', async () => {
    const { stage, heard } = noting();
    await stage.play(MINUTE);
    await reload(stage, { settings: hours({ date: '2026-06-15', closed: true, reason: 'a storm' }) });
    await stage.pass(MINUTE);
    expect(heard.slice(1)).toEqual([expect.stringMatching(/^closed 10:01/)]);
  });

  test('that undoes an early close does not fire a timer relative to the close a second time', async () => {
    const { stage, heard } = noting();
    await stage.play(MINUTE);
    await reload(stage, { settings: hours(early) });
    await stage.pass(160 * MINUTE);
    await reload(stage, { settings: hours() });
    await stage.pass(300 * MINUTE);
    expect(heard.filter((line) => line.startsWith('late'))).toEqual([expect.stringMatching(/^late 12:30/)]);
    expect(heard.at(-1)).toMatch(/^closed 16:00/);
  });

  test('names the orders whose times come after an early close', async () => {
    const stage = new Stage({
      more: { calendar: createTradingCalendar() },
      hooks: {
        solo: atStart((order) => {
          order.sell('AAPL', { all: true, at: 'close-10m' });
          order.buy('MSFT', { notional: 100, at: 'open+1h' });
          order.bracket('MSFT', {
            entry: { notional: 500 },
            stopLoss: { percent: 5 },
            exitAfter: 'close-5m',
          });
        }),
      },
    });
    await stage.play(MINUTE);
    await reload(stage, { settings: hours(early) });
    const alarms = stage.alarms.filter((text) => text.includes('closes at 13:00'));
    expect(alarms).toHaveLength(1);
    expect(alarms[0]).toMatch(/sell all AAPL .*15:50.*drover flatten/);
    expect(alarms[0]).not.toContain('10:30');
  });

  test('is applied by a replay at its place', async () => {
    const { stage } = noting();
    await stage.play(MINUTE);
    await reload(stage, { before: hours(), settings: hours(early) });
    await stage.pass(240 * MINUTE);
    const { rules, strategies } = stage.options;
    const result = replay(
      stage.lines.map(entryOf),
      () =>
        new Kernel({
          calendar: createTradingCalendar(),
          rules,
          strategies,
          obstacles: { reason: () => null },
        }),
    );
    expect(result.parting).toBeNull();
  });
});
