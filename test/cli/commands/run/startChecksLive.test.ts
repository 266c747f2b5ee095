import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { cwd, startOneUser } from '../../support/oneUser.ts';
import { declined } from '../../support/venueStub.ts';

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

describe('a mistake of the config or of a strategy ends a live start with 2', () => {
  test.each([
    [
      'a name that nobody has',
      'limit-lader',
      /no strategy is called "limit-lader", .*\. Did you mean limit-ladder\?\n$/,
    ],
    [
      'a file that is not there',
      './gone.ts',
      /\/.*gone\.ts: there is no such file\. Correct the path; it is relative to .*\n$/,
    ],
  ])('%s, and asks the venue nothing', async (_title, use, told) => {
    change('use: dca', `use: ${use}`);
    const { code, err } = await start();
    expect(err).toMatch(/^drover: my\.yaml:\d+:\d+: strategies\[0\]\.use: /);
    expect([code, err]).toEqual([2, expect.stringMatching(told)]);
    expect(codeOf((await start('--json')).err)).toBe('CONFIG_INVALID');
    expect(one.sent()).toEqual([]);
  });

  test('a file that does not compile, at its place in that file', async () => {
    writeFileSync(join(cwd, 'broken.ts'), 'const a = ;\n');
    change('use: dca', 'use: ./broken.ts');
    const { code, err } = await start();
    expect(err).toMatch(
      /^drover: \/.*broken\.ts:1:11: Unexpected ";"\. Correct it and start again\n {2}1 \| /,
    );
    expect(code).toBe(2);
  });

  test('a parameter that is not known', async () => {
    change('notional: 5 ', 'notionl: 5 ');
    expect(await start()).toMatchObject({ code: 2, err: expect.stringContaining('unknown key') as string });
  });

  test('a symbol that the venue does not list', async () => {
    one.writeConfig('', { mode: 'live', symbol: 'NOPE' });
    const { code, err } = await start();
    expect(err).toContain('  symbols: not listed or not tradable: NOPE. `drover api GET');
    expect(code).toBe(2);
  });
});

describe('what the venue says ends it with 3', () => {
  test('delegation that is off, also beside a mistake', async () => {
    one.writeConfig('', { mode: 'live', symbol: 'NOPE' });
    one.delegation.enabled = false;
    const { code, err } = await start();
    expect(err).toContain(
      '  one click: off (disabled). Orders need it: `drover oneclick enable --config my.yaml',
    );
    expect([code, codeOf((await start('--json')).err)]).toEqual([3, 'VENUE_REFUSED']);
  });

  test('a key that it does not accept, and no answer at all', async () => {
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
])('%s is of the emulator alone, and refused', async (flag, value) => {
  const { code, err } = await start(flag, value);
  expect([code, err]).toEqual([
    2,
    `drover: ${flag} is for the emulator: mode live uses the venue of the config\n`,
  ]);
  expect(one.sent()).toEqual([]);
});

test('doctor ends with 2 where the config alone is wrong, and tells the place', async () => {
  change('use: dca', 'use: limit-lader');
  const { code, out } = await one.run('doctor');
  expect(out).toMatch(/^fail {2}strategies +my\.yaml:\d+:\d+: strategies\[0\]\.use: no strategy is called/m);
  expect(code).toBe(2);
});

test('doctor takes a strategy that cannot say what it needs for a mistake of the strategy', async () => {
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
