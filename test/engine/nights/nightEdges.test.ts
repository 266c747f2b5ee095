/** @module-tag heavy */
import { describe, expect, test } from 'vitest';
import { parseCash } from '../../../src/core/amount.ts';
import { JournalFold } from '../../../src/engine/kernel/journalFold.ts';
import { CheckpointProof, foldJournal, keepCheckpoint } from '../../../src/engine/runtime/checkpoints.ts';
import type { Status } from '../../../src/ops/model/status.ts';
import { daySummary } from '../../../src/ops/notify/daySummary.ts';
import type { StrategyHooks } from '../../../src/strategy/index.ts';
import { memoryJournal } from '../../store/memoryJournal.ts';
import { SECOND, Stage, type StageOptions } from '../stage.ts';
import { partingOf } from '../synthetic/play.ts';
import { ALL, june, MINUTE, nightStage, ordersOf, trading, until } from './nights.ts';

/** Buys 10.66 AAPL in the session, and protects them in every phase. */
const protecting: StrategyHooks = {
  onStart: ({ order, view }) => {
    if (view.position('AAPL') === 0 && view.orders().length === 0) order.buy('AAPL', { shares: 10.66 });
  },
  onFill: ({ order, fill }) => {
    if (fill.side === 'buy') order.stop('AAPL', { all: true, stop: 95, phases: [...ALL] });
  },
};
const exit = { hooks: { solo: protecting }, data: { quotes: ['AAPL'] } } as const;

/** Cancels that the venue accepts, and that have no effect. */
const NO_EFFECT = Array<'late'>(100).fill('late');

/** A stage at 03:12 in New York, whose exit has been touched and rests as a limit order. */
async function touched(options: StageOptions = {}): Promise<Stage> {
  const stage = await nightStage({ ...exit, ...options }).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  await until(stage, '16T07:12');
  stage.venue.prices.set('AAPL', parseCash('94'));
  return stage.pass(MINUTE);
}

const openSells = ({ venue }: Stage) =>
  venue.rows.filter(({ status, order }) => status === 'open' && order.side === 'sell');

describe('a checkpoint of the night', () => {
  test('has the same books as all entries produce, wherever it is placed', async () => {
    const stage = await touched();
    stage.venue.cancelFates.push(...NO_EFFECT);
    await until(stage, '16T08:02');
    const { accountState } = stage.runner.kernel.context;
    expect(accountState.dayDate).toBe('2026-06-16');
    expect([...accountState.live.values()]).toMatchObject([{ lapsed: true, until: june('16T08:00') }]);

    const entries = [...memoryJournal(stage.lines).entries()];
    const whole = new JournalFold();
    for (const [index, entry] of entries.entries()) {
      const journal = memoryJournal(stage.lines.slice(0, index), { text: null });
      keepCheckpoint(journal);
      journal.commit(entries.slice(index));
      whole.apply(entry);
      if (index % 7 === 0 || index > entries.length - 20) {
        const fold = foldJournal(journal, new JournalFold());
        const all = new JournalFold();
        for (const one of journal.entries()) all.apply(one);
        expect(fold.text().equals(all.text()), `after ${index}`).toBe(true);
        expect(fold.accountState.dayDate).toBe('2026-06-16');
        expect([...fold.accountState.live.values()]).toMatchObject([
          { lapsed: true, until: june('16T08:00') },
        ]);
        const proof = new CheckpointProof();
        let number = 0;
        for (const one of journal.entries()) proof.take(one, ++number);
        expect(proof).toMatchObject({ wrong: [] });
      }
    }
  });
});

test('a replay repeats a target that cancels several orders, one of them from an ended phase', async () => {
  const options: StageOptions = {
    data: {
      quotes: ['AAPL', 'MSFT'],
      timers: [
        { name: 'rest', at: '09:00' },
        { name: 'leave', at: '09:05' },
      ],
    },
    build: {
      solo: (state) => ({
        onStart: ({ order }) => void order.buy('AAPL', { shares: 10 }),
        onQuote: ({ price }) => void (state['last'] = price),
        onTimer: ({ timer, order }) => {
          if (timer === 'rest') order.limit('AAPL', { side: 'buy', shares: 3, price: 90, outside: 'limit' });
          if (timer === 'rest') return;
          order.buy('MSFT', { shares: 1 });
          order.target('AAPL', { weight: 0 });
          order.buy('MSFT', { shares: 2 });
        },
      }),
    },
  };
  const stage = await nightStage(options).play(MINUTE);
  stage.venue.fill(stage.venue.last);
  stage.venue.cancelFates.push(...NO_EFFECT);
  await until(stage, '16T13:20');
  stage.venue.prices.set('AAPL', parseCash('101'));
  await until(stage, '16T13:29:59');
  stage.venue.prices.set('AAPL', parseCash('102'));
  await until(stage, '16T13:30:12');
  expect(ordersOf(stage)).toEqual([
    'buy limit 10 at 100.5 filled',
    'buy limit 3 at 90 working',
    'buy limit 1 at 50.25 working',
    'buy limit 2 at 50.25 working',
  ]);
  expect(stage.orders[1]).toMatchObject({ until: june('16T13:30'), cancel: { kind: 'accepted' } });
  expect(partingOf(stage, { rules: { trade: trading() }, ...options })).toBeNull();
});

describe('an order of the night', () => {
  const buyAt = (time: string): StageOptions => ({
    data: { quotes: ['AAPL'], timers: [{ name: 'buy', at: time }] },
    hooks: {
      solo: { onTimer: ({ order }) => void order.buy('AAPL', { shares: 3, outside: 'limit' }) },
    },
  });

  test('has a deadline inside its phase', async () => {
    const deadlines: number[] = [];
    const stage = nightStage({
      ...buyAt('19:59'),
      as: (venue) => {
        const { place } = venue;
        venue.place = (terms, gate) =>
          place.call(venue, terms, {
            ...gate,
            open: (prepared) => {
              const permit = gate.open(prepared);
              if ('deadline' in permit) deadlines.push(permit.deadline * SECOND);
              return permit;
            },
          });
        return venue;
      },
    });
    await stage.play(0);
    await until(stage, '15T23:59:20');
    expect(deadlines).toEqual([june('15T23:59:59')]);
  });

  test('that waits for a slot past its phase is sent in the next phase, on a price of that phase', async () => {
    const stage = nightStage({
      ...buyAt('19:59'),
      as: (venue, clock) => {
        const { place } = venue;
        venue.place = async (terms, gate) => {
          if (clock.now() < june('16T00:00')) await clock.sleep(80 * SECOND);
          return place.call(venue, terms, gate);
        };
        return venue;
      },
    });
    await stage.play(0);
    await until(stage, '16T00:00:10');
    stage.venue.prices.set('AAPL', parseCash('110'));
    await until(stage, '16T00:02');
    expect(ordersOf(stage)).toEqual(['buy limit 3 at 100.5 abandoned', 'buy limit 3 at 110.55 working']);
  });

  test('that sells for an exit follows the price while it waits for a slot, and does not count as failed', async () => {
    const stage = await touched({
      as: (venue, clock) => {
        const { place } = venue;
        const isCrowded = () => clock.now() > june('16T07:00') && clock.now() < june('16T07:13');
        venue.place = (terms, gate) =>
          clock.sleep(isCrowded() ? 80 * SECOND : 0).then(() => place.call(venue, terms, gate));
        return venue;
      },
    });
    stage.venue.prices.set('AAPL', parseCash('90'));
    await until(stage, '16T07:13:45');
    expect(ordersOf(stage).slice(1)).toEqual([
      'sell limit 10 at 93.53 abandoned',
      'sell limit 10 at 89.55 working',
    ]);
    expect(stage.said(/its sale has failed/)).toBe(false);
    expect(partingOf(stage, { ...exit, rules: { trade: trading() } })).toBeNull();
  });

  test('is cancelled at the end of its phase by a run that no longer trades that phase', async () => {
    const stage = await touched();
    const next = await new Stage({ ...exit, after: stage }).play(0);
    await until(next, '16T07:59');
    expect(openSells(next)).toHaveLength(1);
    await until(next, '16T08:02');
    expect(openSells(next)).toHaveLength(0);
    await until(next, '16T13:31');
    expect(ordersOf(next).slice(1)).toEqual([
      'sell limit 10 at 93.53 cancelled',
      'sell market 10.66 working',
    ]);
  });
});

describe('a kill around the end of a phase', () => {
  const from = june('16T07:59');
  const to = june('16T08:04');

  /** Commits of a run that is never killed, from one minute before the end of the phase on. */
  async function commitsAround(): Promise<number> {
    const next = await nightStage({ ...exit, after: await atEnd() }).play(to - from);
    return next.commits;
  }

  async function atEnd(): Promise<Stage> {
    return until(await touched(), '16T07:59');
  }

  test('at any commit leaves at most one sale of the exit', async () => {
    const count = await commitsAround();
    expect(count).toBeGreaterThan(5);
    const unsent: string[] = [];
    for (const how of ['before', 'after', 'answer'] as const)
      for (let at = 1; at <= count; at++) {
        const dying = nightStage({ ...exit, after: await atEnd(), dies: { at, how } });
        let most = 0;
        const watched = async (stage: Stage, end: number): Promise<void> => {
          while (stage.clock.now() < end) {
            await stage.pass(5 * SECOND);
            most = Math.max(most, openSells(stage).length);
          }
        };
        await dying.play(0);
        await watched(dying, to);
        const next = await nightStage({ ...exit, after: dying }).play(0);
        await watched(next, to + 6 * MINUTE);
        expect(most, `${how} ${at}`).toBe(1);
        const [sell] = openSells(next);
        if (!sell) {
          await next.pass(4 * MINUTE);
          // Journaled and never sent: the venue cannot show that, so an operator has to decide and nothing follows it.
          unsent.push(`${how} ${next.states.at(-1)} ${next.said(/is still unresolved/)}`);
          continue;
        }
        expect(sell.order, `${how} ${at}`).toMatchObject({ type: 'limit' });
        next.venue.fill(sell);
        await next.pass(MINUTE);
        expect(
          ordersOf(next).filter((text) => text.includes('filled')),
          `${how} ${at}`,
        ).toHaveLength(2);
      }
    expect(unsent).toEqual(['after unknown true']);
  });
});

describe('the trading day of the limits', () => {
  test("keeps the session's loss and turnover when night trading starts in mid-session", async () => {
    const buys = {
      data: {
        quotes: ['AAPL'],
        timers: [
          { name: 'buy', at: '15:55' },
          { name: 'more', at: '16:30' },
        ],
      },
      hooks: {
        solo: {
          onTimer: ({ order }) => void order.buy('AAPL', { shares: 3, outside: 'limit' }),
        } as StrategyHooks,
      },
      limits: { turnoverPerDay: parseCash('500') },
    };
    const day = await new Stage({ ...buys, start: june('15T13:20') }).play(0);
    await until(day, '15T19:56');
    day.venue.fill(day.venue.last);
    await until(day, '15T19:57');
    day.venue.told.set('AAPL', { overnightTradable: true });
    const next = await nightStage({ ...buys, after: day }).play(0);
    await until(next, '15T20:40');
    expect(next.lines.some((line) => line.includes('dayBegan'))).toBe(false);
    expect(ordersOf(next)).toEqual(['buy limit 3 at 100.5 filled']);
    expect(next.said(/today's turnover/)).toBe(true);
    expect(partingOf(next, { ...buys, rules: { trade: trading() } })).toBeNull();
  });
});

test('the report at the close includes orders, fees and profit of the night before', async () => {
  const stage = await nightStage({
    data: { quotes: [{ symbol: 'AAPL', phases: ALL }], timers: [{ name: 'buy', at: '03:00' }] },
    hooks: {
      solo: {
        onTimer: ({ order }) => void order.buy('AAPL', { shares: 3, outside: 'limit' }),
      } as StrategyHooks,
    },
  }).play(0);
  await until(stage, '16T07:01');
  stage.venue.fill(stage.venue.last);
  await until(stage, '16T20:10');
  const [report] = stage.notices.filter(({ kind, strategyId }) => kind === 'session' && strategyId).slice(-1);
  expect(report?.text).toBe('day: -1.83 mUSD; orders 1, filled 1, fees 0.00; nothing open');
  const status = { equity: '0', cash: '0', orders: [], waiting: [], unknown: 0, differences: [], todo: [] };
  const closed = { kind: 'session', date: '2026-06-16', change: 'closed', equity: [] } as const;
  const summary = daySummary(closed, stage.runner.kernel.context, status as unknown as Status);
  expect(summary.text).toContain('orders today 1, filled 1');
});

test('a run that ends names the latest time at which the venue ends a night order', async () => {
  const stage = await touched();
  await stage.stop();
  expect(
    stage.said(/left open, a DAY order that ends by 2026-06-16 20:00 New York time at the latest by itself/),
  ).toBe(true);
});
