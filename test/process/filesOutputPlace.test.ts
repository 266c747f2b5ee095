import { existsSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drover } from '../cli/support/commandLine.ts';
import { bars } from '../cli/mistakes/mistakes.ts';

const backtest = [
  'backtest',
  '--strategy',
  'dca',
  '--params',
  '{"symbol":"SPY","notional":50}',
  '--bars',
  'SPY=spy.csv',
];

function folder(): string {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-place-'));
  writeFileSync(join(cwd, 'spy.csv'), bars);
  return cwd;
}

test.each(['--save', '--report'])('%s keeps a file that no run has written', async (flag) => {
  const cwd = folder();
  const { code, err } = await drover([...backtest, flag, 'spy.csv'], { cwd, env: { HOME: cwd } });
  expect({ code, kept: readFileSync(join(cwd, 'spy.csv'), 'utf8') === bars }).toEqual({
    code: 2,
    kept: true,
  });
  expect(err).toMatch(
    new RegExp(
      `${flag}: \\S+spy\\.csv exists already, and is not an older .*: it is kept\\. Name another file`,
    ),
  );
});

test.each(['--save', '--report'])('%s refuses a folder before the run', async (flag) => {
  const cwd = folder();
  mkdirSync(join(cwd, 'runs'));
  const { code, err } = await drover([...backtest, flag, 'runs'], { cwd, env: { HOME: cwd } });
  expect(code).toBe(2);
  expect(err).toContain(`${join(cwd, 'runs')} is not a regular file. Name a file`);
});

test('--save and --report replace an empty file and the output of an earlier run, and nothing else', async () => {
  const cwd = folder();
  writeFileSync(join(cwd, 'run.json'), '');
  const kept = [...backtest, '--save', 'run.json', '--report', 'run.html'];
  for (let time = 0; time < 2; time++) {
    const { code } = await drover(kept, { cwd, env: { HOME: cwd } });
    expect(code).toBe(0);
  }
  const written = await drover(['report', 'run.json'], { cwd, env: { HOME: cwd } });
  expect(written.code).toBe(0);
  const refused = await drover(['report', 'run.json', '--out', 'spy.csv'], { cwd, env: { HOME: cwd } });
  expect(refused.code).toBe(2);
  expect(readFileSync(join(cwd, 'spy.csv'), 'utf8')).toBe(bars);
});

test.each(['', 'share'])('an XDG_DATA_HOME of "%s" is ignored', async (data) => {
  const cwd = folder();
  const env = { HOME: cwd, XDG_DATA_HOME: data };
  const shown = await drover(['keys', 'show', 'main'], { cwd, env });
  expect(shown.err).toContain(`there is no key main in ${join(cwd, '.local/share/drover/keys')}`);
  const dates = ['--from', '2026-01-02', '--to', '2026-01-06'];
  const made = await drover(['data', 'generate', 'SPY', '--interval', '1d', ...dates], { cwd, env });
  expect(made.code).toBe(0);
  expect(existsSync(join(cwd, '.local/share/drover/data/SPY'))).toBe(true);
});
