/** @module-tag heavy */
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cwd, startOneUser } from '../../cli/support/oneUser.ts';
import { declined } from '../../cli/support/venueStub.ts';

let one: Awaited<ReturnType<typeof startOneUser>>;
beforeEach(async () => {
  one = await startOneUser();
  one.writeConfig('', { mode: 'live' });
});
afterEach(() => one.venue.close());

const FILE = join(cwd, 'my.yaml');
const change = (from: string, to: string) =>
  writeFileSync(FILE, readFileSync(FILE, 'utf8').replace(from, to));
const start = (...argv: string[]) =>
  one.run('run', '--live', '--state', mkdtempSync(join(cwd, 'state-')), ...argv);
const codeOf = (err: string) => (JSON.parse(err) as { error: { code: string } }).error.code;

describe('a live start ends with exit 2', () => {
  test.each([
    [
      'an unknown strategy name',
      'limit-lader',
      /no strategy is called "limit-lader", .*\. Did you mean limit-ladder\?\n$/,
    ],
    [
      'a strategy file that is missing',
      './gone.ts',
      /\/.*gone\.ts: there is no such file\. Correct the path; it is relative to .*\n$/,
    ],
  ])('for %s, without a request to the venue', async (_title, use, told) => {
    change('use: dca', `use: ${use}`);
    const { code, err } = await start();
    expect(err).toMatch(/^drover: my\.yaml:\d+:\d+: strategies\[0\]\.use: /);
    expect([code, err]).toEqual([2, expect.stringMatching(told)]);
    expect(codeOf((await start('--json')).err)).toBe('CONFIG_INVALID');
    expect(one.sent()).toEqual([]);
  });

  test('for a strategy that does not compile, at its place in the file', async () => {
    writeFileSync(join(cwd, 'broken.ts'), 'const a = ;\n');
    change('use: dca', 'use: ./broken.ts');
    const { code, err } = await start();
    expect(err).toMatch(
      /^drover: \/.*broken\.ts:1:11: Unexpected ";"\. Correct it and start again\n {2}1 \| /,
    );
    expect(code).toBe(2);
  });

  test('for an unknown parameter', async () => {
    change('notional: 5 ', 'notionl: 5 ');
    expect(await start()).toMatchObject({ code: 2, err: expect.stringContaining('unknown key') as string });
  });

  test('for a symbol that the venue does not list', async () => {
    one.writeConfig('', { mode: 'live', symbol: 'NOPE' });
    const { code, err } = await start();
    expect(err).toContain('  symbols: not listed or not tradable: NOPE. `drover api GET');
    expect(code).toBe(2);
  });
});

describe('a live start ends with exit 3', () => {
  test('for delegation that is off, even with a mistake in the config', async () => {
    one.writeConfig('', { mode: 'live', symbol: 'NOPE' });
    one.delegation.enabled = false;
    const { code, err } = await start();
    expect(err).toContain(
      '  one click: off (disabled). Orders need it: `drover oneclick enable --config my.yaml',
    );
    expect([code, codeOf((await start('--json')).err)]).toEqual([3, 'VENUE_REFUSED']);
  });

  test('for an API key that the venue does not accept, and for no response at all', async () => {
    one.answers['GET /api/v1/symbols'] = () => declined(401, 'unauthorized');
    expect((await start()).code).toBe(3);
    await one.venue.close();
    expect((await start()).code).toBe(3);
  });
});

test.each([
  ['--speed', 'max'],
  ['--seed', '3'],
  ['--start', '2026-06-15T09:30'],
])('%s is refused in mode live', async (flag, value) => {
  const { code, err } = await start(flag, value);
  expect([code, err]).toEqual([
    2,
    `drover: ${flag} is for the emulator: mode live uses the venue of the config\n`,
  ]);
  expect(one.sent()).toEqual([]);
});

test('doctor ends with exit 2 for a mistake in the config, and names its place', async () => {
  change('use: dca', 'use: limit-lader');
  const { code, out } = await one.run('doctor');
  expect(out).toMatch(/^fail {2}strategies +my\.yaml:\d+:\d+: strategies\[0\]\.use: no strategy is called/m);
  expect(code).toBe(2);
});

test('doctor ends with exit 2 for a strategy whose data() throws', async () => {
  writeFileSync(
    join(cwd, 'needless.js'),
    `import { z } from 'zod';
export default { name: 'needless', description: '-', params: z.looseObject({}), data() { return null.bars; }, create() {} };`,
  );
  change('use: dca', 'use: ./needless.js');
  const { code, out } = await one.run('doctor');
  expect(out).toMatch(/^fail {2}strategies +\S+ cannot say what data it needs: .*needless\.js:2:/m);
  expect(code).toBe(2);
});
