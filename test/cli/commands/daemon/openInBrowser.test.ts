import { mkdtempSync, readFileSync, existsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { systemClock } from '../../../../src/core/clock.ts';
import { openInBrowser } from '../../../../src/cli/commands/daemon/dashboard.ts';
import type { CommandContext } from '../../../../src/process/context.ts';

const URL_WITH_CODE = 'http://127.0.0.1:8180/#code=abcdefghijklmnopqrstuv';

/** Opens the address with a program of ours in place of the system's; what it received is in the folder. */
async function open(script: string) {
  const folder = mkdtempSync(join(tmpdir(), 'drover-'));
  for (const name of ['xdg-open', 'open']) writeFileSync(join(folder, name), script, { mode: 0o755 });
  const said: string[] = [];
  const context = {
    env: { PATH: `${folder}:/usr/bin:/bin`, XDG_RUNTIME_DIR: folder, DROVER_API_SECRET: 'a secret' },
    clock: { ...systemClock, sleep: () => Promise.resolve() },
    terminal: { err: (text: string) => said.push(text) },
    stopSignal: () => new AbortController().signal,
    onExit: () => undefined,
  } as unknown as CommandContext;
  await openInBrowser(URL_WITH_CODE, context);
  const seen = (name: string) => readFileSync(join(folder, name), 'utf8');
  return { said, seen };
}

test('the browser gets the sign-in code in a private file, not in its arguments or environment', async () => {
  const { said, seen } = await open(
    '#!/bin/sh\ncd "$XDG_RUNTIME_DIR"\nenv > env\necho "$1" > file\nls -l "$1" > mode\ncat "$1" > page\n',
  );
  expect(said).toEqual([]);
  expect(seen('page')).toContain(`url=${URL_WITH_CODE}"`);
  expect(seen('mode')).toMatch(/^-rw-------/);
  expect(seen('env')).not.toMatch(/secret|code=/i);
  expect(seen('file')).not.toContain('code');
  expect(existsSync(seen('file').trim())).toBe(false);
});

test('a browser that fails to open is reported with the advice to open the address yourself', async () => {
  const { said } = await open('#!/bin/sh\nexit 3\n');
  expect(said).toEqual([expect.stringContaining('open the address yourself')]);
});
