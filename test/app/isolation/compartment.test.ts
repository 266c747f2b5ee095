/** @module-tag heavy */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ConfigError, messageOf } from '../../../src/core/errors.ts';
import { SECOND, Stage } from '../../engine/stage.ts';
import { isolated, sourceOf, startIsolated } from './isolated.ts';
import { ATTACK_NAMES, thiefSource } from './thieves.ts';

/** Output of the strategy once `body` has run in its `onStart`, in a thread. */
async function said(body: string): Promise<string> {
  const heard: string[] = [];
  const hooks = `{ onStart({ view }) { try { ${body} } catch (error) { console.log('failed: ' + error.message); } } }`;
  const strategy = await isolated('tried', sourceOf(hooks), { print: (text) => void heard.push(text) });
  const stage = await new Stage({ more: { strategies: [strategy] } }).play(SECOND);
  await expect.poll(() => heard.join(''), { timeout: 60_000 }).not.toBe('');
  await stage.stop();
  return heard.join('').trim();
}

test.each([
  ['node:fs', "import { readFileSync } from 'node:fs'; console.log(readFileSync);"],
  ['fs/promises', "import * as files from 'fs/promises'; console.log(files);"],
  ['child_process', "const { spawn } = require('child_process');"],
  ['node:worker_threads', "export * from 'node:worker_threads';"],
  ['node:module', "const later = () => import('node:module');"],
])('a strategy that imports %s is refused at the import', async (name, line) => {
  const thrown: unknown = await startIsolated(sourceOf('{}', line)).catch((error: unknown) => error);
  expect(thrown).toBeInstanceOf(ConfigError);
  expect(messageOf(thrown)).toMatch(/tried\.ts:4:\d+: /);
  expect(messageOf(thrown)).toContain(`"${name}" is a built-in module of Node`);
});

test('an isolated strategy that tries every way out of its thread gets nothing', async () => {
  const heard: string[] = [];
  const strategy = await isolated('thief', thiefSource('AAPL').replace('onBar:', 'onQuote:'), {
    print: (text) => void heard.push(text),
    // It tries hundreds of ways in one hook, which takes 250 to 400 MB by the version of Node.
    limits: { hookMs: 60_000, memoryMb: 1_024 },
  });
  const quotes = { ...strategy, needs: { ...strategy.needs, quotes: ['AAPL'] } };
  const stage = await new Stage({ more: { strategies: [quotes] } }).play(SECOND);
  stage.venue.prices.set('AAPL', 101n * 10n ** 18n);
  await stage.pass(6 * SECOND);
  await stage.stop();
  const printed = heard.join('');
  expect(printed).toMatch(/TRIED \d{3}/);
  expect(printed.split('\n').filter((line) => line.includes('LOOT'))).toEqual([]);
}, 60_000);

test.each([
  ['Date.now()', 'view.now, or quote.at in a fill model'],
  ['new Date()', 'view.now'],
  ['Math.random()', 'seed'],
])('%s throws, and names what to use instead', async (code, instead) => {
  expect(await said(`${code}; console.log('there');`)).toMatch(new RegExp(`^failed: .*${instead}`));
});

test.each([
  [
    'a date of an instant',
    'new Date(0).toISOString() + new Date(view.now).getUTCFullYear() + Date.UTC(2020, 0)',
    /^1970-01-01T00:00:00.000Z20\d\d1577836800000$/,
  ],
  ['typed arrays', 'new Float64Array([1, 2]).map((one) => one * 2).join() + Float32Array.of(1)[0]', /^2,41$/],
  [
    'Intl in en-US',
    "new Intl.NumberFormat().format(1234.5) + (1e6).toLocaleString('de')",
    /^1,234.51.000.000$/,
  ],
  ['code that it compiles itself', "new Function('a', 'return a + 1')(1)", /^2$/],
])('an isolated strategy can use %s', async (_, code, expected) => {
  expect(await said(`console.log(${code});`)).toMatch(expected);
});

test("a printed object's own inspect method and getters are not called", async () => {
  const body =
    "console.log({ get a() { return 'called'; }, [Symbol.for('nodejs.util.inspect.custom')]: () => 'called' });";
  expect(await said(body)).not.toContain('called');
});

test('each item of "What is kept out" in docs/isolation.md names an attack of the tests', () => {
  const text = readFileSync('docs/isolation.md', 'utf8');
  const [, section = ''] = /## What is kept out\n([\s\S]*?)\nThree texts/.exec(text) ?? [];
  const lines = section.split(/\n- /).slice(1);
  expect(lines.length).toBeGreaterThan(10);
  for (const line of lines) {
    const named = [...line.matchAll(/_([^_]+)_/g)].map(([, name = '']) => name.replace(/\s+/g, ' '));
    expect(named, line).not.toEqual([]);
    expect(ATTACK_NAMES).toEqual(expect.arrayContaining(named));
  }
});
