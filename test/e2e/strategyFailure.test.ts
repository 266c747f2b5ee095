import { spawnSync } from 'node:child_process';
import { mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';

/** Built by `npm run build`, as `npm test` does first. */
const MAIN = join(process.cwd(), 'dist/bin/main.js');
/** Ends a command that hangs; no slow machine comes near it. */
const HANGING_MS = 120_000;
const BARS =
  'ts,open,high,low,close,volume\n2026-06-15T13:30:00Z,1,1,1,1,1\n2026-06-16T13:30:00Z,1,1,1,1,1\n';

/** Runs a backtest of a strategy with this `onStart`. */
function backtest(body: string, ...flags: string[]) {
  const cwd = mkdtempSync(join(tmpdir(), 'drover-failing-'));
  symlinkSync(join(process.cwd(), 'node_modules'), join(cwd, 'node_modules'));
  writeFileSync(join(cwd, 'x.csv'), BARS);
  writeFileSync(
    join(cwd, 'failing.ts'),
    `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'failing', description: 'x', params: z.strictObject({}),
  data: () => ({ bars: [{ symbol: 'X', interval: '1d' }] }),
  create: () => ({
    onStart() { ${body} },
  }),
});
`,
  );
  const argv = [MAIN, 'backtest', '--strategy', './failing.ts', '--bars', 'X=x.csv', ...flags];
  const { error, status, stdout, stderr } = spawnSync(process.execPath, argv, {
    cwd,
    encoding: 'utf8',
    timeout: HANGING_MS,
    killSignal: 'SIGKILL',
  });
  return { error, status, stdout, stderr };
}

test.each([
  'throw new Error("boom")',
  'void Promise.reject("boom")',
  // So late that only a backtest that waits for its thread can notice.
  'void Promise.resolve().then(() => { for (let at = 0; at < 2e8; at++); throw new Error("boom"); });',
])(
  'a backtest in threads ends when its strategy fails: %s',
  (body) => {
    expect(backtest(body, '--isolate')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining('boom') as string,
    });
  },
  2 * HANGING_MS,
);

test(
  'an unhandled rejection names its strategy, and its line if it has an Error',
  () => {
    const { stderr } = backtest('void Promise.reject(new Error("boom"));');
    expect(stderr).toMatch(/strategy failing threw outside its hooks: .*failing\.ts:7:\d+: boom/);
    const plain = backtest('void Promise.reject("just a text");');
    expect(plain.stderr).toContain(
      'strategy failing threw outside its hooks: a promise that nobody waits for was rejected with "just a text", ' +
        'which has no line: reject with an Error',
    );
  },
  2 * HANGING_MS,
);

test.each([['in its own thread', '--isolate'], ['in the thread of the engine']])(
  'a backtest whose strategy fails outside its hooks reports no result: %s',
  (_, ...flags) => {
    expect(backtest('void Promise.reject(new Error("boom"));', '--json', ...flags)).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringContaining('boom') as string,
    });
  },
  2 * HANGING_MS,
);

test(
  'a command ends even if one of its strategies is stuck in a built-in call',
  () => {
    const { error, stderr } = backtest(
      'Array.prototype.indexOf.call({ length: 2 ** 53 - 1 }, 1);',
      '--isolate',
    );
    expect(error).toBeUndefined();
    expect(stderr).toContain('onStart did not end within 5 s');
    expect(stderr).toContain('its thread is in a call that cannot be interrupted');
  },
  2 * HANGING_MS,
);
