import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Built by `npm run build`, as `npm test` does first. */
const DROVER = `node ${join(process.cwd(), 'dist/bin/main.js')}`;

test('the commands that a first run proposes at its end work', () => {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-next-'));
  const env = { PATH: process.env['PATH'], HOME: cwd, TMPDIR: cwd };
  const shell = (command: string) => execFileSync('sh', ['-c', command], { cwd, env, encoding: 'utf8' });
  const out = shell(`${DROVER} run --speed max --until 2026-06-15T09:50`);
  const steps = out.slice(out.indexOf('\nnext: ')).split('\n');
  const commands = steps.filter((line) => line.startsWith('  ')).map((line) => line.trim());
  expect(commands.map((command) => command.split(' ').slice(0, 4).join(' '))).toEqual([
    `${DROVER} journal show`,
    `${DROVER} status --state`,
    `${DROVER} data generate`,
    expect.stringMatching(/ backtest .*config\/emulator\.yaml$/) as string,
    expect.stringMatching(/^cp .*strategies\/sma-cross\.ts my-strategy\.ts$/) as string,
    `${DROVER} backtest --strategy`,
  ]);
  const [journal, ...others] = commands.map(shell);
  expect(journal).toContain('strategyState');
  expect(others.join('')).toContain('earned');
  expect(existsSync(join(cwd, 'run.html')) && existsSync(join(cwd, 'mine.html'))).toBe(true);
}, 120_000);
