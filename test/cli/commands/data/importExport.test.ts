import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { bytesOf } from '../../../../src/market/columns.ts';
import { columnsOfRows } from '../../../../src/market/mergeBars.ts';
import { opensOf, row } from '../../../market/columns.ts';
import { drover } from '../../support/commandLine.ts';

let cwd = '';
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'drover-data-'))));
afterEach(() => rmSync(cwd, { recursive: true }));

const data = (...argv: readonly string[]) => drover(['data', ...argv, '--data', 'store'], { cwd });
const json = async <T>(...argv: readonly string[]) => JSON.parse((await data(...argv, '--json')).out) as T;
const write = (name: string, text: string | Uint8Array) => writeFileSync(join(cwd, name), text);

const HEADER = 'ts,open,high,low,close,volume';
const csvOf = (dates: readonly string[], price = 100) =>
  `${[HEADER, ...dates.map((date) => `${date},${price},${price + 1},${price - 1},${price},10`)].join('\n')}\n`;
const WEEK = ['2026-06-15', '2026-06-16', '2026-06-17', '2026-06-18'];

describe('drover data import and export', () => {
  test('give back the same numbers', async () => {
    await data('generate', 'GEN', '--interval', '1m', '--from', '2026-06-15', '--to', '2026-06-18');
    const { code, out } = await data('export', 'GEN', '--interval', '1m', '--out', 'gen.csv');
    expect({ code, out }).toEqual({ code: 0, out: `${join(cwd, 'gen.csv')}: 1170 bars of GEN 1m\n` });
    await data('export', 'GEN', '--interval', '1m', '--out', 'gen.f64', '--format', 'f64');
    await data('import', 'gen.csv', '--symbol', 'CSV', '--interval', '1m');
    await data('import', 'gen.f64', '--symbol', 'F64', '--interval', '1m');
    const stored = await json<{ symbol: string; hash: string; bars: number }[]>('list');
    expect(stored.map(({ symbol, bars }) => [symbol, bars])).toEqual(
      ['CSV', 'F64', 'GEN'].map((name) => [name, 1170]),
    );
    expect(new Set(stored.map(({ hash }) => hash)).size).toBe(1);
    expect((await data('export', 'GEN', '--interval', '1m')).out).toBe(
      readFileSync(join(cwd, 'gen.csv'), 'utf8'),
    );
  });

  test('merge several files into one set, and add nothing for the same file again', async () => {
    write('a.csv', csvOf(WEEK.slice(0, 2)));
    write('b.csv', csvOf(WEEK.slice(2)));
    expect(await data('import', 'b.csv', 'a.csv', '--symbol', 'x')).toEqual({
      code: 0,
      err: '',
      out: 'X 1d: 4 new bars, now 4 from 2026-06-15T13:30:00Z to 2026-06-18T13:30:00Z\n',
    });
    expect((await data('import', 'a.csv', '--symbol', 'x')).out).toMatch(/^X 1d: 0 new bars, now 4/);
  });

  test('report bars that differ from stored ones with exit 1, and replace them only with --overwrite', async () => {
    write('a.csv', csvOf(WEEK));
    write('b.csv', csvOf(WEEK.slice(3), 50));
    await data('import', 'a.csv', '--symbol', 'X');
    const refused = await data('import', 'b.csv', '--symbol', 'X');
    expect(refused.code).toBe(1);
    expect(refused.err).toMatch(
      /^X 1d 2026-06-18T13:30:00Z: stored 100 101 99 100 10, found 50 51 49 50 10\n.*1 bar unlike.*--overwrite/,
    );
    expect((await data('export', 'X')).out).not.toContain(',50,');
    expect((await data('import', 'b.csv', '--symbol', 'X', '--overwrite')).code).toBe(0);
    expect((await data('export', 'X')).out).toContain(',50,');
  });

  test.each([
    ['a bad row', 'bad.csv', `${HEADER}\n2026-06-15,1,x,1,1,1\n`, /bad\.csv:2: high is "x"/],
    ['an empty file', 'empty.csv', '', /empty\.csv: the file is empty/],
    ['an empty column file', 'empty.f64', '', /empty\.f64: the file is empty/],
    [
      'a column file out of order',
      'order.f64',
      bytesOf({
        ...columnsOfRows([row(1), row(2)]),
        start: Float64Array.from(opensOf('2026-06-15', '2026-06-16').reverse()),
      }),
      /order\.f64: the bar of 2026-06-15T13:30:00Z is wrong: it comes after/,
    ],
  ] as const)('refuse %s, and store nothing of the other files', async (...[, name, content, message]) => {
    write('a.csv', csvOf(WEEK));
    write(name, content);
    const { code, err } = await data('import', 'a.csv', name, '--symbol', 'X');
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) as string });
    expect(await json('list')).toEqual([]);
  });

  test('build longer bars from shorter ones, within --from and --to', async () => {
    await data('generate', 'X', '--interval', '5m', '--from', '2026-06-01', '--to', '2026-06-16');
    const week = await data('export', 'X', '--interval', '1w', '--from', '2026-06-08');
    expect(week.out.split('\n').slice(1)).toEqual([expect.stringMatching(/^1780925400000,/), '']);
    expect((await data('export', 'X', '--interval', '3m')).err).toMatch(
      /no bars of X 3m in .*store.*drover data pull X --interval 3m/,
    );
    expect((await data('export', 'X', '--interval', '1d', '--from', '2027-01-01')).err).toMatch(
      /no bars in that time/,
    );
    expect((await data('export', 'X', '--adjusted', '--interval', '5m')).err).toMatch(
      /no factors are stored of X 5m/,
    );
    expect((await data('export', 'X', '--interval', '5m', '--json')).code).toBe(2);
  });
});

describe('drover data generate', () => {
  test('gives the same bytes for the same seed, and marks the bars as generated', async () => {
    const made = (seed: string, ...more: readonly string[]) =>
      json<{ interval: string; hash: string }[]>(
        ...['generate', 'X', '--interval', '1d', '--interval', '1h'],
        ...['--from', '2026-01-01', '--to', '2026-07-01', '--seed', seed, ...more],
      );
    const [first, second, third] = [
      await made('1'),
      await made('1', '--overwrite'),
      await made('2', '--overwrite'),
    ];
    expect(second).toEqual(first);
    expect(third.map(({ hash }) => hash)).not.toContain(first[0]?.hash);
    expect(await json('list')).toMatchObject([
      { interval: '1h' },
      { interval: '1d', parts: [{ source: { kind: 'generated', name: 'recipe 1 seed 2' } }] },
    ]);
  });

  test('never replaces bars of another source, nor mixes with them', async () => {
    write('a.csv', csvOf(WEEK));
    await data('import', 'a.csv', '--symbol', 'X');
    const generate = (...more: string[]) =>
      data('generate', 'X', '--from', '2026-06-15', '--to', '2026-06-19', ...more);
    expect(await generate('--overwrite')).toMatchObject({
      code: 4,
      err: expect.stringContaining('were not generated') as string,
    });
    rmSync(join(cwd, 'store', 'X'), { recursive: true });
    expect((await generate()).code).toBe(0);
    expect(await generate()).toMatchObject({
      code: 4,
      err: expect.stringContaining('--overwrite') as string,
    });
    expect(await data('import', 'a.csv', '--symbol', 'X')).toMatchObject({
      code: 4,
      err: expect.stringContaining('not mixed') as string,
    });
  });

  test.each([
    [['--price', '0'], /--price "0": write a number above 0/],
    [['--to', '2026-06-01'], /--to must be later than --from/],
    [['--interval', '2m'], /--interval "2m": there is 1m/],
  ] as const)('refuses %j', async (more, message) => {
    const { code, err } = await data('generate', 'X', '--from', '2026-06-15', '--to', '2026-06-19', ...more);
    expect({ code, err }).toEqual({ code: 2, err: expect.stringMatching(message) as string });
  });
});

describe('drover data verify and list', () => {
  type Verified = Readonly<{
    sets: number;
    errors: number;
    warnings: number;
    findings: Record<string, string>[];
  }>;

  test('say what to do about an empty store', async () => {
    expect(await data('list')).toMatchObject({
      code: 0,
      out: expect.stringMatching(/nothing in .*drover data pull/) as string,
    });
    expect(await data('verify', 'X')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no bars of X/) as string,
    });
    expect(await data('verify')).toMatchObject({
      code: 1,
      out: expect.stringMatching(/^nothing was checked: there are no such bars in /) as string,
    });
    expect((await data('verify', '--json')).code).toBe(1);
  });

  test('end with exit 0 for sound data, and with exit 1, symbol, time and remedy for an error', async () => {
    write('a.csv', csvOf([...WEEK.slice(0, 1), ...WEEK.slice(2)]));
    write('b.csv', csvOf(WEEK));
    await data('import', 'a.csv', '--symbol', 'X');
    await data('import', 'b.csv', '--symbol', 'Y');
    expect(await data('verify', 'Y')).toEqual({ code: 0, out: '1 set: 0 errors, 0 warnings\n', err: '' });
    const { code, out } = await data('verify');
    expect(code).toBe(1);
    expect(out).toMatch(
      /^error {2}X 1d 2026-06-16T13:30:00Z: the whole session is missing\n +correct the file, then: `drover data import/,
    );
    expect(await json<Verified>('verify')).toMatchObject({
      sets: 2,
      errors: 1,
      warnings: 0,
      findings: [
        { symbol: 'X', interval: '1d', severity: 'error', kind: 'session', at: '2026-06-16T13:30:00Z' },
      ],
    });
  });

  test('data import reports a whole session without bars', async () => {
    write('a.csv', csvOf([...WEEK.slice(0, 1), ...WEEK.slice(2)]));
    const imported = await data('import', 'a.csv', '--symbol', 'X');
    expect(imported).toMatchObject({
      code: 0,
      err: expect.stringMatching(/^drover: .*a\.csv:3: 1 session without bars, 2026-06-16\n$/) as string,
    });
    expect(await data('import', 'a.csv', '--symbol', 'X', '--json')).toMatchObject({ err: imported.err });
  });

  test('verify reports a split seen in the prices as an error until the split is stored', async () => {
    write('a.csv', `${csvOf(WEEK.slice(0, 2))}${csvOf(WEEK.slice(2), 25).replace(`${HEADER}\n`, '')}`);
    write('splits.csv', 'exDate,type,oldRate,newRate,cashPerShare\n2026-06-17,forward_split,1,4,\n');
    await data('import', 'a.csv', '--symbol', 'X');
    expect((await data('verify')).out).toMatch(
      /from 100 to 25, as by a split 4 for 1.*\n.*import FILE --actions --symbol X/,
    );
    expect(await data('import', 'splits.csv', '--symbol', 'X', '--actions')).toEqual({
      code: 0,
      err: '',
      out: 'X: 1 corporate action read, now 1\n',
    });
    expect((await data('verify')).code).toBe(0);
  });

  test('weekly bars dated by Fridays are sound, and equal those of a file dated by Mondays', async () => {
    write('fridays.csv', csvOf(['2026-06-05', '2026-06-12', '2026-06-19', '2026-06-26']));
    write('mondays.csv', csvOf(['2026-06-01', '2026-06-08', '2026-06-15', '2026-06-22']));
    await data('import', 'fridays.csv', '--symbol', 'X', '--interval', '1w');
    expect(await json<Verified>('verify')).toMatchObject({ errors: 0, warnings: 0 });
    const again = await data('import', 'mondays.csv', '--symbol', 'X', '--interval', '1w');
    expect(again).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^X 1w: 0 new bars, now 4/) as string,
    });
  });

  test('a changed byte is found when the bars are verified, exported or used in a run', async () => {
    write('a.csv', csvOf(WEEK));
    await data('import', 'a.csv', '--symbol', 'X');
    const folder = join(cwd, 'store', 'X');
    const file = join(folder, readdirSync(folder).find((name) => name.endsWith('.f64')) ?? '');
    const bytes = readFileSync(file);
    bytes[50] = (bytes[50] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(await json<Verified>('verify')).toMatchObject({
      errors: 1,
      findings: [{ kind: 'damaged', at: null }],
    });
    expect(await data('export', 'X')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/\.f64 is damaged/) as string,
    });
    // It does not read bars.
    expect(await data('list')).toMatchObject({ code: 0, err: '' });
    writeFileSync(join(folder, '1d.json'), '{}');
    expect(await data('list')).toMatchObject({
      code: 1,
      err: expect.stringMatching(/1d\.json is damaged/) as string,
    });
  });
});
