import { describe, expect, test } from 'vitest';
import { parseDecimal } from '../../src/core/amount.ts';
import { freeOf, VENUE } from '../../src/domain/account/ledger.ts';
import type { Journal } from '../../src/domain/journalEvent.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { healthOf, standstillOf } from '../../src/ops/health.ts';
import type { RunMetrics } from '../../src/ops/metrics.ts';
import { ENDPOINT, metricsOf, NONE } from './metricsOf.ts';
import { timedJournal } from '../../src/app/run/monitor.ts';
import { memoryJournal } from '../store/memoryJournal.ts';
import { give } from '../engine/operator/commands.ts';
import type { StrategyHooks } from '../../src/strategy/index.ts';
import { atStart, MINUTE, SECOND, Stage, type StageOptions } from '../engine/stage.ts';

/** Labels that every value has. */
const SHARED = /,?(account="0xabab… on chain 1, ProductA"|version="1\.2\.3")/g;

/** Values of a scrape by name with their own labels. */
async function scraped(metrics: RunMetrics): Promise<ReadonlyMap<string, number>> {
  const lines = (await metrics.text()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => {
      const cut = line.lastIndexOf(' ');
      const name = line.slice(0, cut);
      expect(name.match(SHARED)).toHaveLength(2);
      return [name.replace(SHARED, '').replace('{,', '{').replace('{}', ''), Number(line.slice(cut + 1))];
    }),
  );
}

const traded = async (options: StageOptions = {}): Promise<Stage> => {
  const buy = atStart((order) => void order.buy('AAPL', { notional: 300 }));
  const stage = await new Stage({ hooks: { solo: buy }, ...options }).play(10 * SECOND);
  for (const row of stage.venue.rows) stage.venue.fill(row);
  return stage.pass(MINUTE);
};

describe('the metrics of a run', () => {
  test('show money, orders and state as the status does', async () => {
    const values = await scraped(metricsOf(await traded()));
    expect(values.get('drover_build_info{mode="dry-run"}')).toBe(1);
    expect(values.get('drover_ready')).toBe(1);
    expect(values.get('drover_session_open')).toBe(1);
    expect(values.get('drover_orders{end="filled"}')).toBe(1);
    expect(values.get('drover_orders{end="reverted"}')).toBe(0);
    expect(values.get('drover_orders_ended_total{end="filled"}')).toBe(1);
    expect([...values.keys()].join()).not.toContain('drover_orders_ended_total{end="working"}');
    expect(values.get('drover_open_orders')).toBe(0);
    expect(values.get('drover_alarms{code="UNCLASSIFIED",severity="warning"}')).toBe(1);
    expect(values.get('drover_process_cpu_seconds_total')).toBe(1.5);
    expect(values.get('drover_disk_free_bytes')).toBe(5e9);
    expect(values.get('drover_trading_state{state="active"}')).toBe(1);
    expect(values.get('drover_trading_state{state="halted"}')).toBe(0);
    expect(values.get('drover_alarms_unacknowledged')).toBe(1);
    expect(values.get('drover_requests_last_minute')).toBe(30);
    expect(values.get('drover_event_loop_delay_seconds{quantile="0.99"}')).toBe(0.002);
    expect(values.get('drover_position_value_musd{strategy="solo",symbol="AAPL"}')).toBeCloseTo(300, 0);
    const parts = ['drover_unallocated_equity_musd', 'drover_equity_musd{strategy="solo"}'];
    const sum = parts.reduce((total, name) => total + (values.get(name) ?? NaN), 0);
    expect(sum).toBeCloseTo(values.get('drover_account_equity_musd') ?? NaN, 6);
  });

  test('let a counter only grow, scrape after scrape, under its old name too', async () => {
    let dropped = 3;
    const metrics = metricsOf(await traded(), { dropped: new Map([['terminal', () => dropped]]) });
    const read = async () => {
      const values = await scraped(metrics);
      return ['drover_dropped_lines_total', 'drover_dropped_lines'].map((name) =>
        values.get(`${name}{output="terminal"}`),
      );
    };
    expect(await read()).toEqual([3, 3]);
    dropped = 5;
    expect(await read()).toEqual([5, 5]);
    dropped = 4;
    expect(await read()).toEqual([5, 4]);
  });

  test('show unknown orders with their age, differences and frozen stocks', async () => {
    const buy = atStart((order) => void order.buy('AAPL', { notional: 200 }));
    const stage = new Stage({ hooks: { solo: buy } });
    stage.venue.fates.push('lostBefore');
    await stage.play(30 * SECOND);
    stage.venue.holdings.set('MSFT', parseDecimal('2'));
    await stage.pass(MINUTE + 5 * SECOND);
    const values = await scraped(metricsOf(stage));
    expect(values.get('drover_unknown')).toBe(1);
    expect(values.get('drover_unknown_oldest_age_seconds')).toBeGreaterThan(90);
    expect(values.get('drover_differences')).toBe(1);
    expect(values.get('drover_frozen_symbols')).toBe(1);
  });

  test('show held orders by kind, and for how long a trigger could not be sent', async () => {
    const protect: StrategyHooks = {
      onStart: ({ order }) => void order.buy('AAPL', { shares: 10 }),
      onFill: ({ order }) => void order.stop('AAPL', { all: true, stop: 95 }),
    };
    const stage = await new Stage({ hooks: { solo: protect } }).play(MINUTE);
    stage.venue.fill(stage.venue.last);
    await stage.pass(MINUTE);
    const metrics = metricsOf(stage);
    const armed = await scraped(metrics);
    expect(armed.get('drover_held_orders{strategy="solo",kind="stop"}')).toBe(1);
    expect(armed.get('drover_held_orders_triggered')).toBe(0);
    expect(armed.get('drover_held_trigger_unsent_age_seconds')).toBe(0);
    await give(stage, { kind: 'trade', state: 'halted', scope: {} });
    stage.venue.prices.set('AAPL', parseDecimal('94'));
    await stage.pass(MINUTE);
    const halted = await scraped(metrics);
    expect(halted.get('drover_held_orders_triggered')).toBe(1);
    expect(halted.get('drover_held_orders_suspended')).toBe(1);
    expect(halted.get('drover_held_trigger_unsent_age_seconds')).toBeGreaterThan(30);
  });

  test('show no position that is gone since an earlier scrape', async () => {
    const stage = await traded();
    const metrics = metricsOf(stage);
    const positions = async () =>
      [...(await scraped(metrics)).keys()].filter((name) => name.startsWith('drover_position_value'));
    expect(await positions()).toHaveLength(1);
    const { ledger } = stage.runner.kernel.context.accountState;
    const amount = ledger.held('solo', ticker('AAPL'));
    ledger.move('a test', { asset: ticker('AAPL'), amount, from: freeOf('solo'), to: VENUE });
    expect(await positions()).toEqual([]);
  });

  test('count requests and commits in seconds, and put unknown endpoints under "other"', async () => {
    const metrics = metricsOf(await traded());
    metrics.observeRequest({ endpoint: ENDPOINT, outcome: 'success', ms: 30 });
    metrics.observeRequest({ endpoint: 'GET /api/v1/orders/0xabc', outcome: 'unknown', ms: 30 });
    metrics.observeCommit(2);
    const values = await scraped(metrics);
    const name = 'drover_request_duration_seconds_bucket';
    expect(values.get(`${name}{le="0.025",endpoint="${ENDPOINT}",outcome="success"}`)).toBe(0);
    expect(values.get(`${name}{le="0.05",endpoint="${ENDPOINT}",outcome="success"}`)).toBe(1);
    expect([...values.keys()].join()).not.toContain('0xabc');
    expect(values.get('drover_request_duration_seconds_count{endpoint="other",outcome="unknown"}')).toBe(1);
    expect(values.get('drover_commit_duration_seconds_sum')).toBe(0.002);
  });
});

describe('the health of a run', () => {
  const of = (stage: Stage, obstacles: Partial<typeof NONE> | Record<string, string> = {}) =>
    healthOf({
      context: stage.runner.kernel.context,
      obstacles: { ...NONE, ...obstacles },
      phase: stage.runner.phase,
    });
  const failing = (stage: Stage, obstacles: Record<string, string> = {}) =>
    of(stage, obstacles)
      .checks.filter(({ ok }) => !ok)
      .map(({ name }) => name);

  test('is good while it trades', async () => {
    const stage = await traded();
    expect(of(stage)).toEqual({
      ready: true,
      checks: ['journal', 'venue', 'clock', 'recovered'].map((name) => ({ name, ok: true, why: null })),
    });
  });

  test('is bad when the journal fails, after a gap, and before the start check has passed', async () => {
    const stage = await traded();
    expect(failing(stage, { journal: 'the disk is full' })).toEqual(['journal']);
    expect(failing(stage, { gap: 'the machine slept' })).toEqual(['venue']);
    expect(failing(stage, { start: 'not compared yet' })).toEqual(['recovered']);
    expect(failing(new Stage())).toEqual(['venue', 'recovered']);
  });

  test('is bad while the venue does not respond', async () => {
    const stage = await traded();
    stage.venue.readsFail = true;
    await stage.pass(10 * MINUTE);
    expect(failing(stage)).toEqual(['venue']);
    stage.venue.readsFail = false;
    await stage.pass(2 * MINUTE);
    expect(failing(stage)).toEqual([]);
  });

  test('is bad once the run stops', async () => {
    const stage = await traded();
    await stage.stop();
    expect(failing(stage)).toEqual(['recovered']);
  });
});

test('a kernel that takes no steps is reported as standing still', async () => {
  const stage = await traded();
  const { context } = stage.runner.kernel;
  expect(standstillOf(context, stage.clock.now())).toBeNull();
  stage.crash();
  await stage.pass(6 * MINUTE);
  expect(standstillOf(context, stage.clock.now())).toMatch(/^the last step of the kernel was 3[67]\d s ago/);
});

test('commits are timed, also those that fail', () => {
  let time = 0;
  const took: number[] = [];
  const journal: Journal = {
    ...memoryJournal([]),
    commit: () => {
      time += 7;
      throw new Error('the disk is full');
    },
  };
  const timed = timedJournal(journal, { monotonic: () => time }, (ms) => took.push(ms));
  expect(() => timed.commit([])).toThrow('the disk is full');
  expect(took).toEqual([7]);
});
