import { copyFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { tradingCalendar } from '../../src/calendar/index.ts';
import type { EmulatorInfo } from '../../src/emulator/index.ts';
import type { RunReport } from '../../src/engine/runtime/runner.ts';
import { markOfTrue } from '../torture/sides.ts';
import { atVenue, expectAgreement, output, printedBooks, trueAccount, type TrueAccount } from './books.ts';
import { drover, freshDir, start, type Running } from './cli.ts';
import { resumeAsRefused, sendsIn, unfreezeAll } from './restoring.ts';

/** Takes some four minutes on an idle machine of two cores. */
const LONG_MS = 900_000;
const [FIRST, LAST] = ['2026-11-23', '2027-01-21'];
/** Sessions after whose close the run is killed, stopped and pruned, and backed up. */
const [KILLED, PRUNED, COPIED] = ['2026-12-07', '2027-01-11', '2027-01-19'];
const SESSIONS = tradingCalendar.sessions(FIRST, LAST).length;

const folder = freshDir();
const config = join(folder, 'service.yaml');
const state = join(folder, 'state');
const copy = join(folder, 'copy');
const restored = join(folder, 'restored');

/** Four strategies; one holds a bracket, one has orders at night. Polls are less frequent than usual, because requests take most of the time. */
const CONFIG = `
mode: emulator
emulator: { start: '${FIRST}T09:25', seed: 7 }
polling: { quotesMs: 30000, ordersMs: 10000, restingMs: 30000 }
limits: { orderNotional: '10000', positionNotional: '60000', grossExposure: '120000', ordersPerMinute: 30,
          dayLoss: '20000', priceBandBps: 500, quoteAgeMs: 60000 }
strategies:
  - { id: savings, use: dca, capital: '30000', params: { symbol: SPY, notional: '500', at: open+10m } }
  - { id: mix, use: rebalance, capital: '25000',
      params: { weights: { MSFT: 0.3, AMZN: 0.3, KO: 0.2 }, band: 0.01, at: [open+15m, '12:30'] } }
  - { id: ladder, use: limit-ladder, capital: '15000', params: { symbol: NVDA, rungs: 3, stepBps: 40,
      notional: '2000', takeProfitBps: 60, requoteBps: 150, maxExposure: '10000' } }
  - { id: reversion, use: mean-reversion, capital: '20000', params: { symbol: AAPL, interval: 5m, length: 6,
      weight: 0.4, takeProfitPercent: 0.6, stopPercent: 0.4, trailing: true, exitAfterBars: 12 } }
`;

/** Splits and dividends before and after the turn of the year. */
const ACTIONS = [
  { type: 'cash_dividend', symbol: 'MSFT', cashPerShare: '0.75', exDate: '2026-11-25' },
  { type: 'forward_split', symbol: 'AAPL', oldRate: '1', newRate: '4', exDate: '2026-12-02' },
  { type: 'cash_dividend', symbol: 'KO', cashPerShare: '0.485', exDate: '2026-12-15' },
  { type: 'reverse_split', symbol: 'AMZN', oldRate: '3', newRate: '1', exDate: '2027-01-06' },
  { type: 'cash_dividend', symbol: 'SPY', cashPerShare: '1.9', exDate: '2027-01-14' },
];

beforeAll(() => {
  writeFileSync(config, CONFIG);
});

const runs: Running[] = [];
afterAll(() => {
  for (const { child } of runs) child.kill('SIGKILL');
});

function run(dir: string, ...more: string[]): Running {
  const running = start(['run', config, '--state', dir, '--json', ...more]);
  runs.push(running);
  return running;
}

const closed = (date: string): RegExp => new RegExp(`session of ${date} closed`);

/** Announces the corporate actions at a venue that has just started. Returns its account at that time. */
async function announce(info: EmulatorInfo): Promise<TrueAccount> {
  for (const action of ACTIONS) {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' } };
    const response = await fetch(`${info.controlUrl}/corporate-action`, {
      ...init,
      body: JSON.stringify(action),
    });
    expect(response.status).toBe(200);
  }
  return trueAccount(info);
}

/** Runs all sessions: killed in one, stopped and pruned after another, backed up while running. */
async function serve(): Promise<void> {
  const first = run(state, '--speed', 'max');
  await first.line(closed(KILLED));
  first.child.kill('SIGKILL');
  await first.done;

  const second = run(state, '--speed', 'max');
  await second.line(closed(PRUNED));
  second.child.kill('SIGTERM');
  expect(await second.done).toMatchObject({ code: 0 });
  const before = await printedBooks(state);
  await output(state, 'journal', 'prune', '--yes');
  expect(readdirSync(state)).toContain('journal-2026.sqlite');
  expect(await printedBooks(state)).toEqual(before);

  const third = run(state, '--speed', 'max', '--until', `${LAST}T17:00`);
  await third.line(closed(COPIED));
  await output(state, 'backup', copy);
  const { code, out } = await third.done;
  const { orders, reconciliation } = JSON.parse(out) as RunReport;
  expect([code, orders.unknown, orders.external, reconciliation.open]).toEqual([0, 0, 0, []]);
}

/** Restores the backup next to a venue that has moved on, and trades another session on it. */
async function goOnFromCopy(): Promise<void> {
  expect(await drover(['restore', copy, '--state', restored])).toMatchObject({ code: 0 });
  const [from, to] = [state, restored].map((dir) => join(dir, 'emulator', 'emulator.sqlite')) as [
    string,
    string,
  ];
  copyFileSync(from, to);
  const halted = run(restored, '--speed', '60');
  await halted.line(/trading is halted: restored from the backup/);
  const beside = (...args: readonly string[]) => drover([...args, '--state', restored, '--config', config]);
  expect(await resumeAsRefused(beside)).toMatch(
    /ledger and venue still differ:|orders at the venue are not in it:/,
  );
  await unfreezeAll(beside);
  halted.child.kill('SIGTERM');
  expect(await halted.done).toMatchObject({ code: 0 });

  const { code, out } = await run(restored, '--speed', 'max', '--until', 'sessions:1').done;
  const { orders, reconciliation } = JSON.parse(out) as RunReport;
  expect([code, orders.unknown, reconciliation.open]).toEqual([0, 0, []]);
  expect(orders.sent).toBeGreaterThan(0);
}

test(
  "the books of 40 sessions equal the venue's, over a kill, a stop, a prune, a backup and its restore",
  { timeout: LONG_MS },
  async () => {
    expect(SESSIONS).toBe(40);
    const opening = await atVenue(state, announce, ['--start', `${FIRST}T09:25`, '--seed', '7']);
    await serve();
    const venue = await atVenue(state, trueAccount);
    for (const method of ['fifo', 'highest'])
      await expectAgreement(state, { opening, venue, sessions: SESSIONS, method });

    await goOnFromCopy();
    const { orders } = await atVenue(restored, trueAccount);
    const marks = orders.map(markOfTrue);
    expect(new Set(marks).size).toBe(marks.length);
    const sends = sendsIn([state, restored]);
    expect(marks.filter((mark) => !sends.includes(mark))).toEqual([]);
    expect(sends.length).toBeGreaterThanOrEqual(marks.length);
    await output(restored, 'journal', 'verify');
  },
);
