import { expect, test } from 'vitest';
import { ConfigError, messageOf } from '../../../src/core/errors.ts';
import { SECOND, Stage } from '../../engine/stage.ts';
import { isolated, sourceOf, startIsolated, type Given } from './isolated.ts';

/** What the strategy has printed when `body`, an asynchronous function's, has run in its `onStart`. */
async function said(body: string, given: Given = {}): Promise<string> {
  const heard: string[] = [];
  const hooks = `{ onStart() { void (async () => { ${body} })().catch((error) => console.log('failed: ' + error.message)); } }`;
  const print = (text: string) => void heard.push(text);
  const strategy = await isolated('tried', sourceOf(hooks), { ...given, print });
  const stage = await new Stage({ more: { strategies: [strategy] } }).play(SECOND);
  await expect.poll(() => heard.join(''), { timeout: 60_000 }).not.toBe('');
  await stage.stop();
  return heard.join('').trim();
}

test.each([
  ['node:fs', "import { readFileSync } from 'node:fs'; console.log(readFileSync);", 'fs'],
  ['fs/promises', "import * as files from 'fs/promises'; console.log(files);", 'fs'],
  ['node:net', "import net from 'node:net'; console.log(net);", 'net'],
  ['child_process', "const { spawn } = require('child_process');", 'child_process'],
  ['node:worker_threads', "export * from 'node:worker_threads';", 'worker_threads'],
  ['node:module', "const later = () => import('node:module');", 'module'],
  ['node:process', "import process from 'node:process'; console.log(process);", 'process'],
])('%s is refused where the file imports it', async (name, line, root) => {
  const thrown: unknown = await startIsolated(sourceOf('{}', line)).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ConfigError);
  expect(messageOf(thrown)).toMatch(/tried\.ts:4:\d+: /);
  expect(messageOf(thrown)).toContain(`"${name}" is a built-in module of Node`);
  expect(messageOf(thrown)).toContain(`add allow: [${root}]`);
});

test.each([
  ['a dynamic import', "const name = 'node:' + 'fs'; console.log(typeof (await import(name)).readFileSync);"],
  [
    'one that is made of text',
    'const load = new Function(\'return import("node:fs")\'); console.log(typeof (await load()).readFileSync);',
  ],
  [
    'one by an indirect eval',
    'const load = (0, eval)(\'() => import("node:fs")\'); console.log(typeof (await load()).readFileSync);',
  ],
  [
    'require by a name that is put together',
    "console.log(typeof require(['node', 'fs'].join(':')).readFileSync);",
  ],
  ['a global require', "console.log(typeof globalThis.require('fs').readFileSync);"],
  ['process.getBuiltinModule', "console.log(typeof process.getBuiltinModule('fs').readFileSync);"],
  ['process.binding', "console.log(typeof process.binding('fs').open);"],
  ['process.kill', 'console.log(typeof process.kill.call);'],
  ['process.mainModule', "console.log(typeof process.mainModule.require('fs').readFileSync);"],
  ['fetch', "console.log(typeof (await fetch('http://127.0.0.1:1/')).status);"],
])('%s reaches nothing', async (_, body) => {
  expect(await said(body)).toMatch(/^failed: /);
});

test('it has no environment', async () => {
  process.env['SEEN_BY_NOBODY'] = 'canary';
  expect(await said('console.log(JSON.stringify(process.env));')).toBe('{}');
});

test('what its entry allows is there', async () => {
  const allow = ['fs', 'os'];
  const line = "import { existsSync } from 'node:fs';";
  const strategy = await isolated(
    'tried',
    sourceOf("{ onStart() { console.log(existsSync('/')); } }", line),
    { allow },
  );
  expect(strategy.needs).toEqual({ quotes: ['AAPL', 'MSFT'] });
  expect(await said("const os = require('node:os'); console.log(typeof os.cpus);", { allow })).toBe(
    'function',
  );
  expect(await said('console.log(typeof fetch);', { allow: ['fetch'] })).toBe('function');
});

test('buffers begin with zeros, whichever way they are made, and share no pool', async () => {
  const body = `
      for (let at = 0; at < 2_000; at++) Buffer.alloc(5_000, 7);
      const made = [];
      for (let at = 0; at < 500; at++) made.push(Buffer.allocUnsafe(5_000), Buffer.allocUnsafeSlow(5_000), Buffer.allocUnsafe(100));
      Buffer.poolSize = 8_192;
      console.log(made.some((one) => one.some((byte) => byte !== 0)), Buffer.from('a').buffer.byteLength, Buffer.poolSize);`;
  expect(await said(body)).toMatch(/^(failed: Cannot assign to read only property 'poolSize'.*|false 1 0)$/);
});
