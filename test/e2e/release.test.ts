import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { epochMs } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import { savedInstant, startEmulator } from '../../src/emulator/index.ts';
import type { RunSummary } from '../../src/engine/runtime/summary.ts';
import { drover } from '../cli/support/commandLine.ts';
import { freshDir, start } from './cli.ts';

const LONG_MS = 180_000;

const planAt = (at: string): string =>
  `  - { id: at${at.replace(':', '')}, use: dca, capital: '1500', params: { symbol: AAPL, notional: '300', at: '${at}' } }`;

/** Three buys in one morning, ten minutes apart. */
function configFile(): string {
  const file = join(freshDir(), 'one.yaml');
  writeFileSync(
    file,
    `mode: emulator
emulator: { start: '2026-06-15T09:55', speed: max, seed: 1 }
limits: { orderNotional: '5000', positionNotional: '20000', grossExposure: '40000', ordersPerMinute: 20,
          dayLoss: '2000', priceBandBps: 200, quoteAgeMs: 60000 }
strategies:
${['10:00', '10:10', '10:20'].map(planAt).join('\n')}
`,
  );
  return file;
}

/** Adds shares of another actor at the emulated venue of a run that stands still. */
async function bring(state: string, asset: string, amount: string): Promise<void> {
  const stateDir = join(state, 'emulator');
  const clock = new VirtualClock({ start: savedInstant(stateDir) ?? epochMs(0) });
  const { info, close } = await startEmulator({ clock, stateDir });
  const body = JSON.stringify({ userAddress: info.accounts[0]?.userAddress, asset, amount });
  const headers = { 'content-type': 'application/json' };
  const { ok } = await fetch(`${info.controlUrl}/move`, { method: 'POST', headers, body });
  await close();
  expect(ok).toBe(true);
}

test('a frozen symbol is traded again after accept and release', { timeout: LONG_MS }, async () => {
  const state = freshDir();
  const where = ['--config', configFile(), '--state', state];
  const command = (...argv: string[]) => drover([...argv, ...where, '--json']);
  const run = (until: string) =>
    drover(['run', where[1] ?? '', '--state', state, '--until', until, '--json']);
  const until = async (instant: string, code = 0) => {
    const { out, err, ...ended } = await run(instant);
    expect([ended.code, err]).toEqual([code, expect.anything()]);
    return { err, summary: JSON.parse(out) as RunSummary };
  };
  expect((await until('2026-06-15T10:05')).summary).toMatchObject({ orders: { filled: 1 } });
  await bring(state, 'AAPL', '5');
  const frozen = await until('2026-06-15T10:15', 1);
  expect(frozen.err).toMatch(/nothing is sent until ledger and account agree: AAPL: /);
  expect(frozen.err).toMatch(/difference in AAPL.*AAPL is frozen: ledger and venue differ/s);
  expect(frozen.summary.orders.filled).toBe(1);

  const differing = await command('reconcile');
  expect([differing.code, JSON.parse(differing.out)]).toMatchObject([1, { clean: false }]);
  expect(differing.out).toContain('"difference":"5"');
  const release = ['release', 'AAPL', '--reason', 'looked'];
  const refused = await command(...release);
  expect([refused.code, refused.err]).toEqual([4, expect.stringMatching(/nothing was lifted.*AAPL: /s)]);
  const adopt = ['adopt', 'AAPL', '--reason', 'a gift'];
  expect((await command(...adopt)).code).toBe(0);
  expect((await command('reconcile')).code).toBe(1);
  expect(JSON.parse((await command(...adopt, '--yes')).out)).toMatchObject({
    asset: 'AAPL',
    for: '',
    adopted: true,
    adoptions: [{ side: 'venue', asset: 'AAPL', owner: '', amount: '5' }],
  });
  expect((await command('reconcile')).code).toBe(0);
  expect(JSON.parse((await command(...release)).out)).toMatchObject({ symbol: 'AAPL', released: true });

  const again = await until('2026-06-15T10:25');
  // The second buy, whose time passed while the run waited, is made up for within its session.
  expect(again.summary.orders.filled).toBe(3);
  expect(again.err).not.toMatch(/difference in|is frozen/);
  const after = await command('reconcile');
  expect(JSON.parse(after.out)).toMatchObject({ clean: true, differences: [] });
  expect((await command('journal', 'replay')).code).toBe(0);
});

test('a halt keeps every run from sending until it is resumed', { timeout: LONG_MS }, async () => {
  const state = freshDir();
  const file = configFile();
  const command = (...argv: string[]) => drover([...argv, '--config', file, '--state', state]);
  const filledBy = async (until: string) => {
    const { out, err } = await drover(['run', file, '--state', state, '--until', until, '--json']);
    return { err, filled: (JSON.parse(out) as RunSummary).orders.filled };
  };
  expect((await filledBy('2026-06-15T10:05')).filled).toBe(1);
  expect((await command('halt', '--reason', 'to look around')).code).toBe(0);
  const halted = await filledBy('2026-06-15T10:15');
  expect(halted.filled).toBe(1);
  expect(halted.err).toMatch(/trading is halted: to look around/);
  expect((await command('resume', '--reason', 'looked')).code).toBe(0);
  expect(await filledBy('2026-06-15T10:25')).toMatchObject({ filled: 2 });
});

test('reconcile is refused on the emulated venue of a running run', { timeout: LONG_MS }, async () => {
  const state = freshDir();
  const file = configFile();
  const run = start(['run', file, '--state', state, '--speed', '1']);
  await run.line(/Ctrl-C/);
  const { code, err } = await drover(['reconcile', '--config', file, '--state', state]);
  expect([code, err]).toEqual([4, expect.stringMatching(/another drover process is using .*stop it first/)]);
  run.child.kill('SIGTERM');
  await run.done;
});
