import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { ticker } from '../../../../src/domain/instrument.ts';
import { BarStore } from '../../../../src/market/barStore.ts';
import { drover } from '../../support/commandLine.ts';

let cwd = '';
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'drover-outside-'))));
afterEach(() => rmSync(cwd, { recursive: true }));

const data = (...argv: readonly string[]) => drover(['data', ...argv, '--data', 'store'], { cwd });
const json = async <T>(...argv: readonly string[]) => JSON.parse((await data(...argv, '--json')).out) as T;
const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const store = () => new BarStore(join(cwd, 'store'));

const HEADER = 'ts,open,high,low,close,volume';
/** Bars of one price, each at a time UTC of June 15, 2026, whose session is 13:30 to 20:00 there. */
const csvOf = (times: readonly string[], price = 100) =>
  `${[HEADER, ...times.map((time) => `2026-06-${time}:00Z,${price},${price + 1},${price - 1},${price},10`)].join('\n')}\n`;
const [NIGHT, PRE, OPEN, POST] = ['15T00:00', '15T13:25', '15T13:30', '15T20:00'];
const IMPORT = ['import', 'a.csv', '--symbol', 'X', '--interval', '5m'] as const;
const GENERATE = [
  'generate',
  'X',
  '--from',
  '2026-06-15',
  '--to',
  '2026-06-18',
  '--sessions',
  'all',
] as const;
/** Starts of the exported bars. */
const exported = async (...flags: readonly string[]) =>
  (await data('export', 'X', ...flags)).out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => new Date(Number(line.split(',')[0])).toISOString().slice(8, 16));
const sets = async () =>
  (await json<{ symbol: string; interval: string; outside?: true; bars: number }[]>('list')).map(
    ({ symbol, interval, outside, bars }) => [symbol, interval, outside, bars],
  );

describe('drover data import --sessions all', () => {
  test('adds the rows of regular sessions to one set and the others to a second, without warnings of gaps', async () => {
    write('a.csv', csvOf([NIGHT, PRE, OPEN, POST]));
    expect(await data(...IMPORT, '--sessions', 'all')).toEqual({
      code: 0,
      err: expect.stringMatching(
        /^drover: .*a\.csv:5: 77 bars are missing between .*13:35:00Z and .*20:00:00Z\n$/,
      ) as string,
      out:
        'X 5m: 1 new bars, now 1 from 2026-06-15T13:30:00Z to 2026-06-15T13:30:00Z\n' +
        'X 5m outside: 3 new bars, now 3 from 2026-06-15T00:00:00Z to 2026-06-15T20:00:00Z\n',
    });
    expect(store().manifest({ symbol: ticker('X'), interval: '5m', outside: true })?.parts).toMatchObject([
      { from: Date.parse('2026-06-15T00:00Z'), to: Date.parse('2026-06-15T20:05Z') },
    ]);
    expect(await json(...IMPORT, '--sessions', 'all')).toMatchObject({
      added: 0,
      bars: 1,
      differences: [],
      outside: {
        added: 0,
        bars: 3,
        first: '2026-06-15T00:00:00Z',
        last: '2026-06-15T20:00:00Z',
        differences: [],
      },
    });
    expect(await json('verify')).toMatchObject({ sets: 2, errors: 0, warnings: 0 });
    expect((await data('list')).out).toMatch(/X {7}5m {5,}1 .*\nX {7}5m outside +3 /);
  });

  test('reports differing bars of either set with exit 1, until --overwrite', async () => {
    write('a.csv', csvOf([PRE, OPEN]));
    await data(...IMPORT, '--sessions', 'all');
    write('a.csv', csvOf([PRE], 50));
    const { code, err } = await data(...IMPORT, '--sessions', 'all');
    expect([code, err]).toEqual([
      1,
      expect.stringMatching(/^X 5m outside 2026-06-15T13:25:00Z: stored 100 .*found 50/),
    ]);
    expect(await json(...IMPORT, '--sessions', 'all', '--overwrite')).toMatchObject({
      added: 0,
      bars: 1,
      outside: { differences: [{ at: '2026-06-15T13:25:00Z' }] },
    });
    expect((await data('export', 'X', '--interval', '5m', '--sessions', 'all')).out).toMatch(/,50,/);
  });

  test('gives null for a part that the file does not have', async () => {
    write('a.csv', csvOf([OPEN]));
    expect(await json(...IMPORT, '--sessions', 'all')).toMatchObject({ added: 1, outside: null });
    write('a.csv', csvOf([PRE, POST]));
    expect(
      await json('import', 'a.csv', '--symbol', 'Y', '--interval', '5m', '--sessions', 'all'),
    ).toMatchObject({
      added: 0,
      bars: 0,
      first: null,
      hash: null,
      outside: { added: 2 },
    });
    expect(await sets()).toEqual([
      ['X', '5m', undefined, 1],
      ['Y', '5m', true, 2],
    ]);
  });

  test('stores nothing of any file when one has a wrong row', async () => {
    write('a.csv', csvOf([NIGHT, OPEN]));
    for (const [row, what] of [
      ['15T09:02', /b\.csv:2: .*not a multiple of 5m/],
      ['13T15:00', /b\.csv:2: .*outside the regular sessions and all other phases/],
    ] as const) {
      write('b.csv', csvOf([row]));
      const { code, err } = await data('import', 'a.csv', 'b.csv', ...IMPORT.slice(2), '--sessions', 'all');
      expect([code, err]).toEqual([2, expect.stringMatching(what)]);
    }
    expect(await sets()).toEqual([]);
  });

  test('keeps the regular set if the disk fails, and adds the rest when repeated', async () => {
    write('a.csv', csvOf([PRE, OPEN]));
    await data(...IMPORT, '--sessions', 'all');
    write('a.csv', csvOf([PRE, OPEN, '15T13:35', POST]));
    // A folder in place of the leftovers that a write removes at its end.
    const wedge = join(cwd, 'store/X/wedge.tmp');
    mkdirSync(wedge);
    expect((await data(...IMPORT, '--sessions', 'all')).code).not.toBe(0);
    expect(await sets()).toEqual([
      ['X', '5m', undefined, 1],
      ['X', '5m', true, 2],
    ]);
    rmSync(wedge, { recursive: true });
    expect(await json(...IMPORT, '--sessions', 'all')).toMatchObject({
      added: 1,
      bars: 2,
      outside: { added: 0, bars: 2 },
    });
  });

  test('is refused for days and weeks, and for unknown names', async () => {
    write('a.csv', csvOf([OPEN]));
    for (const interval of ['1d', '1w'])
      expect(await data(...IMPORT.slice(0, 4), '--interval', interval, '--sessions', 'all')).toMatchObject({
        code: 2,
        err: expect.stringMatching(/a bar of 1[dw] covers only regular sessions/) as string,
      });
    expect((await data(...IMPORT, '--sessions', 'night')).err).toMatch(
      /--sessions "night": write regular or all/,
    );
  });

  test('is suggested when a row lies outside, for CSV and column files', async () => {
    write('a.csv', csvOf([PRE]));
    const { code, err } = await data(...IMPORT);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/a\.csv:2: .*outside the regular sessions.*--sessions all/),
    ]);
    await data(...GENERATE, '--interval', '5m');
    await data('export', 'X', '--interval', '5m', '--sessions', 'all', '--format', 'f64', '--out', 'x.f64');
    const [file, ...rest] = ['x.f64', '--symbol', 'Y', '--interval', '5m'];
    expect((await data('import', file ?? '', ...rest)).err).toMatch(
      /is wrong: it is outside.*--sessions all/,
    );
    expect((await data('import', file ?? '', ...rest, '--sessions', 'all')).code).toBe(0);
    const hashes = (await json<{ hash: string }[]>('list')).map(({ hash }) => hash);
    expect(hashes.slice(2)).toEqual(hashes.slice(0, 2));
  });

  test('takes every file of a folder, those of other sources too', async () => {
    mkdirSync(join(cwd, 'folder'));
    const rows = [PRE, OPEN, POST, '15T23:55', '16T00:00', '20T12:00'];
    write(
      'folder/AAPL.csv',
      `timestamp,open,high,low,close,volume,trade_count,vwap\n${rows.map((at) => `2026-06-${at}:00Z,100,101,99,100,9,3,100\n`).join('')}`,
    );
    write('folder/MSFT.csv', csvOf([NIGHT, OPEN]));
    const left = ['import', 'folder', '--interval', '5m'];
    expect(await json(...left, '--sessions', 'all')).toMatchObject({
      imported: [
        { symbol: 'AAPL', added: 1, leftOut: { 'on weekends': 1 }, outside: { added: 4 } },
        { symbol: 'MSFT', added: 1, outside: { added: 1 } },
      ],
    });
    expect(await json(...left)).toMatchObject({
      imported: [{ symbol: 'AAPL', leftOut: { 'outside the regular sessions': 4, 'on weekends': 1 } }],
      failed: [{ why: expect.stringMatching(/--sessions all/) as string }],
    });
  });

  test('undoes adjustments of all phases by the stored splits, starting the evening before', async () => {
    write('actions.csv', 'exDate,type,oldRate,newRate,cashPerShare\n2026-06-16,forward_split,1,4,\n');
    await data('import', 'actions.csv', '--actions', '--symbol', 'X');
    write('a.csv', csvOf([POST, '15T23:55', '16T00:00', '16T13:30'], 25).replace('ts,', 'time,'));
    expect((await data(...IMPORT, '--sessions', 'all', '--prices', 'splits')).code).toBe(0);
    const { out } = await data('export', 'X', '--interval', '5m', '--sessions', 'all');
    expect(
      out
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[4]),
    ).toEqual(['100', '100', '25', '25']);
    expect(await json('verify')).toMatchObject({ errors: 0 });
  });

  test('refuses to mix real bars with generated ones, even if they are in different sets', async () => {
    await data(...GENERATE, '--interval', '5m');
    rmSync(join(cwd, 'store/X/5m.json'));
    write('a.csv', csvOf([OPEN]));
    for (const flags of [[], ['--sessions', 'all']]) {
      const { code, err } = await data(...IMPORT, ...flags);
      expect([code, err]).toEqual([
        4,
        expect.stringMatching(/X 5m outside .*bars of the kind "file" are not mixed in.*5m\.outside\.json/),
      ]);
    }
    await data('import', 'a.csv', '--symbol', 'Y', '--interval', '5m');
    expect(await data('generate', 'Y', ...GENERATE.slice(2), '--interval', '5m')).toMatchObject({ code: 4 });
  });
});

describe('drover data generate --sessions all', () => {
  test('stores both sets of each length shorter than a day, from the same minutes', async () => {
    const made = await json<{ interval: string; outside?: true; bars: number; source: { name: string } }[]>(
      ...GENERATE,
      ...['--interval', '1m', '--interval', '1h', '--interval', '1d'],
    );
    expect(made.map(({ interval, outside, bars }) => [interval, outside, bars])).toEqual([
      ['1m', undefined, 3 * 390],
      ['1m', true, 3 * 1050],
      ['1h', undefined, 3 * 7],
      ['1h', true, 3 * 18],
      ['1d', undefined, 3],
    ]);
    expect(made[0]?.source.name).toBe('recipe 1 seed 1 all sessions');
    expect(await json('verify')).toMatchObject({ sets: 5, errors: 0, warnings: 0 });
    const night = Array.from({ length: 14 }, (_, hour) => `15T${String(hour).padStart(2, '0')}:00`);
    const hours = await exported('--interval', '1h', '--sessions', 'outside');
    expect(hours.slice(0, 15)).toEqual([...night, '15T20:00']);
  });

  test('needs a length shorter than a day', async () => {
    expect(await data(...GENERATE)).toMatchObject({
      code: 2,
      err: expect.stringMatching(/a bar of 1d covers only regular sessions/) as string,
    });
  });

  test('refuses to replace the regular bars only, which would not fit those outside', async () => {
    await data(...GENERATE, '--interval', '5m');
    const alone = GENERATE.slice(0, -2);
    const { code, err } = await data(...alone, '--interval', '5m', '--overwrite');
    expect([code, err]).toEqual([
      4,
      expect.stringMatching(/X 5m outside .*--sessions all --overwrite replaces both/),
    ]);
    expect((await data(...GENERATE, '--interval', '5m')).err).toMatch(/--overwrite replaces them/);
    expect(await data(...GENERATE, '--interval', '5m', '--overwrite')).toMatchObject({ code: 0 });
  });
});

describe('drover data export --sessions', () => {
  const EXPORT = ['--interval', '1h', '--sessions'] as const;

  test('builds longer bars within each phase, and joins both sets in time order', async () => {
    write(
      'a.csv',
      csvOf([NIGHT, '15T12:55', '15T13:00', PRE, OPEN, '15T14:25', '15T19:55', POST, '15T20:55']),
    );
    await data(...IMPORT, '--sessions', 'all');
    expect(await exported(...EXPORT, 'outside')).toEqual(['15T00:00', '15T12:00', '15T13:00', '15T20:00']);
    const all = (await exported(...EXPORT, 'all')).join(' ');
    expect(all).toBe('15T00:00 15T12:00 15T13:00 15T13:30 15T19:30 15T20:00');
    expect(await exported('--interval', '1h')).toEqual(['15T13:30', '15T19:30']);
    const { out } = await data('export', 'X', ...EXPORT, 'outside');
    // 12:00 to 13:00 has one bar, 13:00 to the open at 13:30 two.
    expect(
      out
        .trim()
        .split('\n')
        .map((line) => line.split(',')[5]),
    ).toEqual(['volume', '10', '10', '20', '20']);
    expect(await json('export', 'X', ...EXPORT, 'all', '--out', 'all.csv')).toMatchObject({
      interval: '1h',
      madeOf: '5m',
      bars: 6,
      sessions: 'all',
    });
  });

  test('ends the last bar of a phase with the phase, where it counts as whole', async () => {
    write('a.csv', csvOf([OPEN, '15T12:00', '15T12:55', '15T13:00', PRE].sort()));
    expect((await data(...IMPORT, '--sessions', 'all')).code).toBe(0);
    expect(await exported(...EXPORT, 'outside')).toEqual(['15T12:00', '15T13:00']);
  });

  test('is refused for days, and names the ways to get bars that are not there', async () => {
    write('a.csv', csvOf([OPEN]));
    await data(...IMPORT);
    expect(await data('export', 'X', '--sessions', 'outside')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/a bar of 1d covers only regular sessions/) as string,
    });
    const { err } = await data('export', 'X', '--interval', '5m', '--sessions', 'all');
    expect(err).toMatch(/no bars of X 5m outside in .*data import FILE .* --sessions all.*data generate/);
    expect(err).not.toContain('data pull');
  });

  test('adjusts by the factors of the regular bars, starting the evening before an ex-date', async () => {
    write('a.csv', csvOf([OPEN, POST, '16T00:00', '16T08:00', '16T13:30']));
    await data(...IMPORT, '--sessions', 'all');
    const regular = store().read({ symbol: ticker('X'), interval: '5m' });
    if (!regular) throw new Error('nothing was stored');
    const steps = [
      { from: Date.parse('2026-06-15T13:30Z'), factor: 0.5 },
      { from: Date.parse('2026-06-16T13:30Z'), factor: 1 },
    ];
    store().write({ ...regular, factors: { fetchedAt: Date.now(), steps } });
    const closes = async (sessions: string) => {
      const { out } = await data('export', 'X', '--interval', '5m', '--adjusted', '--sessions', sessions);
      return out
        .trim()
        .split('\n')
        .slice(1)
        .map((line) => line.split(',')[4]);
    };
    expect(await closes('all')).toEqual(['50', '50', '100', '100', '100']);
    expect(await closes('outside')).toEqual(['50', '100', '100']);
    expect(await closes('regular')).toEqual(['50', '100']);
    // For days before the first factor, the effect of a later split is unknown.
    write('a.csv', csvOf(['12T13:30']));
    await data(...IMPORT);
    expect(await data('export', 'X', '--interval', '5m', '--adjusted')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/no factors are stored of all bars of X 5m: .*data pull X/) as string,
    });
  });
});

describe('bars outside the sessions', () => {
  test('are verified, and genuine findings can be accepted', async () => {
    write('a.csv', csvOf([NIGHT, '15T01:00']));
    await data(...IMPORT, '--sessions', 'all');
    write('a.csv', csvOf(['15T02:00', '15T03:00'], 200));
    await data(...IMPORT, '--sessions', 'all');
    const { out } = await data('verify', '--interval', '5m');
    expect(out).toMatch(/^warning {2}X 5m outside 2026-06-15T02:00:00Z: the price goes from 100 to 200/);
    const [finding] = (await json<{ findings: { id: string; outside: true }[] }>('verify')).findings;
    expect(finding?.outside).toBe(true);
    expect(await data('accept', 'X', '--finding', finding?.id ?? '', '--reason', 'earnings')).toMatchObject({
      code: 0,
    });
    expect(await json('verify')).toMatchObject({ errors: 0, warnings: 0, accepted: 1 });
  });

  test('are not used to choose symbols for a pull, and no backtest reads them', async () => {
    write('a.csv', csvOf([NIGHT, POST]));
    await data(...IMPORT, '--sessions', 'all');
    expect((await data('pull', '--interval', '5m')).err).toMatch(/which symbols\? No bars of 5m/);
    const { err } = await drover(
      ['backtest', '--strategy', 'dca', '--params', '{"symbol":"X","notional":1000}', '--data', 'store'],
      { cwd },
    );
    expect(err).toMatch(/there are no bars of X 1d/);
  });
});
