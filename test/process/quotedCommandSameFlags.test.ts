import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFlags } from '../../src/process/quotedCommand.ts';
import { drover } from '../cli/support/commandLine.ts';
import { stateSaying } from '../cli/support/stateFolder.ts';

test.each([
  ['`drover resume` lets it go on', '`drover resume --config a.yaml` lets it go on'],
  ['until "drover resume"', 'until "drover resume --config a.yaml"'],
  [`\`drover api POST /x --data '{"a":1}'\``, `\`drover api POST /x --data '{"a":1}' --config a.yaml\``],
  ['`drover run --config b.yaml`', '`drover run --config b.yaml`'],
  ['`drover --help` lists commands and flags', '`drover --help` lists commands and flags'],
  ['another drover process', 'another drover process'],
])('%s', (text, told) => {
  expect(withFlags(text, ' --config a.yaml')).toBe(told);
});

const config = `strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`;

test('a run names its config and state folder in the commands that it proposes', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'my run.yaml'), config);
  const run = () =>
    drover(['run', 'my run.yaml', '--state', 'st', '--until', '2026-06-15T09:29', '--speed', 'max'], {
      cwd,
    });
  expect((await run()).code).toBe(0);
  const halt = ['halt', '--reason', 'a look', '--state', 'st', '--config', 'my run.yaml'];
  expect(await drover(halt, { cwd })).toMatchObject({
    code: 0,
    out: expect.stringContaining(
      "`drover resume --reason TEXT --config 'my run.yaml' --state st` ends that",
    ) as string,
  });
  const { out } = await run();
  expect(out).toContain(
    `\`drover resume --reason TEXT --config 'my run.yaml' --state ${join(cwd, 'st')}\` ends that`,
  );
});

test('a command names its state folder in the commands that it proposes', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  const state = stateSaying([]);
  const env = { XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), 'drover-')) };
  mkdirSync(join(state, 'emulator'));
  const { err } = await drover(['cancel', '--state', state], { cwd, env });
  expect(err).toContain(`\`drover orders cancel ID --state ${state}\` cancels one order`);
  expect(err).toContain('`drover orders` lists them');
});

test('the emulator that a run proposes to start gets the config, never the state folder of the run', async () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  const venue =
    'baseUrl: http://127.0.0.1:9, controlUrl: http://127.0.0.1:9, clock: follow, chainId: 143, product: ProductA';
  const account = "userAddress: '0x3d467aB1CD9994491461b101dF8Ab942669F5113'";
  writeFileSync(
    join(cwd, 'dry.yaml'),
    `mode: dry-run\ndryRun: { cash: '1000' }\nvenue: { ${venue}, ${account} }\n${config}`,
  );
  const { err } = await drover(['run', 'dry.yaml', '--state', 'st'], { cwd });
  expect(err).toContain('Start `drover emulator --config dry.yaml`, and set');
});
