/** @module-tag heavy */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { RunSummary } from '../../../../src/engine/runtime/summary.ts';
import { drover } from '../../support/commandLine.ts';
import { cashToken, startMovingUser } from '../../support/movingUser.ts';

let one: Awaited<ReturnType<typeof startMovingUser>>;
beforeEach(async () => (one = await startMovingUser()));
afterEach(() => one.venue.close());

test.each([
  ['buy', { buyMintFeeBps: 25, buyProtocolFeeBps: 1 }],
  ['sell', { sellProtocolFeeBps: 26 }],
])(
  'a manual order to %s is not sent while the venue states a fee above limits.feeBps',
  async (side, fees) => {
    one.answers['GET /api/v1/config'] = () => ({ exchangeFeeConfig: fees, cashierTokenConfig: [cashToken] });
    const place = `orders place AAPL ${side} --limit 10 --quantity 1 --yes`.split(' ');
    const { code, err } = await one.run(...place);
    expect([code, err]).toEqual([
      4,
      expect.stringContaining(`the venue states fees of 26 bps for a ${side}, over limits.feeBps of 25`),
    ]);
    expect(one.sends()).toEqual([]);
  },
);

const config = (limit: string) => `mode: emulator
emulator: { start: '2026-06-15T09:55', speed: max, seed: 1 }
limits: { orderNotional: '6000', positionNotional: '20000', grossExposure: '40000', ordersPerMinute: 20,
          dayLoss: '2000', priceBandBps: 200, quoteAgeMs: 60000 ${limit} }
strategies:
  - { id: ten, use: dca, capital: '20000', params: { symbol: AAPL, notional: '5000', at: '10:00' } }
  - { id: later, use: dca, capital: '20000', params: { symbol: SPY, notional: '5000', at: '10:10' } }
`;

test('a run halts on a fee above limits.feeBps, also after a restart, until the limit is raised and it is resumed', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  const edit = {
    kind: 'edit',
    endpoint: 'GET /api/v1/config',
    path: 'data.exchangeFeeConfig.buyMintFeeBps',
    value: 25,
  };
  writeFileSync(join(cwd, 'faults.json'), JSON.stringify({ rules: [edit] }));
  writeFileSync(join(cwd, 'one.yaml'), config(''));
  const state = ['--state', 'state'];
  const run = async (until: string, ...more: string[]) => {
    const argv = ['run', 'one.yaml', ...state, '--until', until, '--json', ...more];
    const { out, err } = await drover(argv, { cwd });
    return { err, sent: (JSON.parse(out) as RunSummary).orders.sent };
  };
  const halted = await run('2026-06-15T10:02', '--faults', 'faults.json');
  expect(halted.err).toContain('the venue states fees of 26 bps for a buy, over limits.feeBps of 25');
  expect(halted.sent).toBe(0);
  expect((await run('2026-06-15T10:04')).err).toContain('trading is halted: the venue states fees of 26 bps');
  writeFileSync(join(cwd, 'one.yaml'), config(', feeBps: 30'));
  const resumed = await drover(['resume', '--config', 'one.yaml', ...state, '--reason', 'paid gladly'], {
    cwd,
  });
  expect(resumed.code).toBe(0);
  expect((await run('2026-06-15T10:15')).sent).toBe(1);
  const again = await drover(['journal', 'replay', '--config', 'one.yaml', ...state], { cwd });
  expect(again.code).toBe(0);
});
