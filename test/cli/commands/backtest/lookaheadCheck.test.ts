import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { d10 } from '../../../../bench/bars.ts';
import { drover } from '../../support/commandLine.ts';

/** Keeps the closes of a run for the next one. */
const PEEKS = `import { defineStrategy } from 'drover/strategy';
import { z } from 'zod';
const closes = [];
export default defineStrategy({
  name: 'peeks',
  description: 'Buys before a rise that it has seen.',
  params: z.strictObject({}),
  data: () => ({ bars: [{ symbol: 'X', interval: '1d' }] }),
  create() {
    let index = 0;
    return {
      onBar({ bar, order }) {
        closes[index++] = bar.close;
        if (closes[index] > bar.close) order.buy('X', { shares: 1 });
      },
    };
  },
});
`;

let folder = '';
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'drover-lookahead-'));
  const { start, open, high, low, close, volume } = d10().columns;
  const rows = Array.from(start.subarray(0, 300), (ts, i) =>
    [ts, open[i], high[i], low[i], close[i], volume[i]].join(','),
  );
  writeFileSync(join(folder, 'bars.csv'), `ts,open,high,low,close,volume\n${rows.join('\n')}\n`);
});
afterAll(() => rmSync(folder, { recursive: true }));

const check = (...given: string[]) =>
  drover(['lookahead-check', '--bars', `X=${join(folder, 'bars.csv')}`, '--histories', '10', ...given]);

/** A new file for each run, as in a new process: modules loaded here stay loaded. */
function peeking(name: string): string[] {
  const file = join(folder, name);
  writeFileSync(file, `// ${name}\n${PEEKS}`);
  return ['--strategy', file];
}

test('the look-ahead check catches a strategy that reads future bars, with exit 1', async () => {
  const { code, out } = await check(...peeking('one.js'));
  expect(code).toBe(1);
  expect(out).toMatch(/^peeks looks ahead: its first different decision is at 2015-01-/);
  expect(out).toContain('at the end of them   buyShares X, quantity 1');
  const asJson = await check(...peeking('two.js'), '--json');
  expect(asJson.code).toBe(1);
  expect(JSON.parse(asJson.out)).toMatchObject({ found: { strategy: 'peeks', withFuture: null } });
});

test('the look-ahead check passes a bundled strategy', async () => {
  const { code, out } = await check('--strategy', 'sma-cross', '--params', '{"symbol":"X"}');
  expect(code).toBe(0);
  expect(out).toMatch(
    /^no look-ahead: \d+ decisions are the same in \d+ shorter histories\nwarm-up long enough: \d+ decisions after \d+ later starts are the same with \d+ times the bars before\n?$/,
  );
});

test('the look-ahead check ends with exit 1, nothing checked, if there is no shorter history', async () => {
  const strategy = ['--strategy', 'sma-cross', '--params', '{"symbol":"X"}'];
  expect(await check(...strategy, '--from', '2015-03-02', '--to', '2015-03-03')).toMatchObject({
    code: 1,
    out: expect.stringMatching(/^nothing was checked: no shorter history/) as string,
  });
  const span = await check(...strategy, '--from', '2015-03-02', '--to', '2015-04-01');
  expect(span).toMatchObject({ code: 0, out: expect.stringMatching(/ [1-9]\d* shorter/) as string });
  expect((await check(...strategy, '--histories', '0')).code).toBe(2);
});

/** Holds above a recursive average that has seen 5 bars. */
const SHORT = `import { defineStrategy, ema } from 'drover/strategy';
import { z } from 'zod';
export default defineStrategy({
  name: 'short',
  description: 'Holds above an average.',
  params: z.strictObject({}),
  data: () => ({ bars: [{ symbol: 'X', interval: '1d', warmUp: 5 }] }),
  create() {
    const average = ema(40);
    return {
      onBar({ bar, order, view }) {
        const above = bar.close > average.next(bar.close);
        if (above !== view.position('X') > 0) order.target('X', { weight: above ? 1 : 0 });
      },
    };
  },
});
`;

test.each([
  ['decides nothing', '', '/^nothing was checked of silent: it decided nothing before the last bar/'],
  [
    'decides only on the last bar',
    "if (index++ === 299) order.buy('X', { shares: 1 })",
    '/^nothing was checked of silent/',
  ],
  [
    'decides only in the first half',
    "if (bar.start < Date.UTC(2015, 2, 1)) order.buy('X', { shares: 1 })",
    '/^no look-ahead: [\\s\\S]*\nthe warm-up of silent was not checked: it decided nothing after 10 later starts/',
  ],
])('the look-ahead check does not pass a strategy that %s', async (what, hook, expected) => {
  const file = join(folder, `${what.replaceAll(' ', '-')}.js`);
  const code = SHORT.replace(/const average[\s\S]*?;\n/, 'let index = 0;\n')
    .replace(/const above[\s\S]*?;\n/, `${hook};\n`)
    .replace(/ {8}if \(above.*\n/, '')
    .replace("'short'", "'silent'");
  writeFileSync(file, code);
  const result = await check('--strategy', file);
  expect(result.out).toMatch(new RegExp(expected.slice(1, -1)));
  expect(result.code).toBe(1);
});

test('the look-ahead check tests the warm-up of a run that begins past the middle of the bars', async () => {
  const strategy = ['--strategy', 'sma-cross', '--params', '{"symbol":"X"}'];
  const { code, out } = await check(...strategy, '--from', '2015-10-01');
  expect(out).toMatch(/\nwarm-up long enough: [1-9]\d* decisions after 10 later starts/);
  expect(code).toBe(0);
});

test('the look-ahead check says that there are too few bars to check a warm-up', async () => {
  const strategy = ['--strategy', 'sma-cross', '--params', '{"symbol":"X"}'];
  const { code, out } = await check(...strategy, '--to', '2015-04-15');
  expect(out).toMatch(
    /^no look-ahead: [\s\S]*\nthe warm-up was not checked: .* Give more bars before --from/,
  );
  expect(code).toBe(0);
});

test('the look-ahead check names a warm-up that is too short and the length it needs, with exit 1', async () => {
  const file = join(folder, 'short.js');
  writeFileSync(file, SHORT);
  const { code, out } = await check('--strategy', file);
  expect(out).toMatch(/the warm-up of short is too short: started later, its first different decision/);
  expect(out).toMatch(/Raise warmUp in its data\(\): (\d+ of X 1d, not 5|5 of X 1d, and many times)/);
  expect(code).toBe(1);
});
