import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';
import { FILES, HOUR, RAW } from './exporterFiles.ts';

let cwd = '';
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'drover-foreign-'))));
afterEach(() => rmSync(cwd, { recursive: true }));

async function imported(text: string, ...flags: readonly string[]) {
  writeFileSync(join(cwd, 'a.csv'), text);
  return drover(['data', 'import', 'a.csv', '--symbol', 'AAPL', '--data', 'store', ...flags], { cwd });
}

/** Starts and closes of the stored bars. */
async function stored(interval = '1d') {
  const { out } = await drover(['data', 'export', 'AAPL', '--interval', interval, '--data', 'store'], {
    cwd,
  });
  const rows = out.trim().split('\n').slice(1);
  return rows.map((row) => {
    const [start, , , , close, volume] = row.split(',').map(Number);
    return [new Date(start ?? NaN).toISOString().slice(0, 16), close, volume];
  });
}

const MINUTES = ['--interval', '1m', ...RAW];
/** Minutes of a summer day, whose times are written as of a clock. */
const summer = (first: number, count: number, zone: string) =>
  Array.from({ length: count }, (_, index) => {
    const at = new Date(Date.UTC(2025, 6, 2, 0, first + index)).toISOString().slice(11, 16);
    return `2025-07-02 ${at}${zone},100,101,99,100,9\n`;
  }).join('');

describe('the file of another program', () => {
  test.each(FILES)('%s', async (...[, text, flags, expected]) => {
    const { code, err, out } = await imported(text, ...flags);
    expect([code, err.replace(/^drover: .*without bars.*\n|^drover: .*missing between.*\n/gm, '')]).toEqual([
      0,
      '',
    ]);
    expect(out).toContain('read as: ');
    const interval = flags.includes('1h') ? '1h' : '1d';
    expect((await stored(interval)).map(([start, close]) => [start, close])).toEqual(expected);
  });

  test('gives whole numbers for volumes with a suffix and with thousands separators', async () => {
    await imported(FILES.find(([name]) => name.startsWith('months'))?.[1] ?? '', ...RAW);
    expect((await stored())[0]?.[2]).toBe(55_740_000);
  });
});

const DAILY = 'Date,Open,High,Low,Close,Volume';

test('bars of the future are imported and named as possibly misread dates', async () => {
  const rows = ['2025-07-02,100,101,99,100,9', '2049-03-04,100,101,99,100,9', '2049-03-05,100,101,99,100,9'];
  const { code, err, out } = await imported([DAILY, ...rows, ''].join('\n'), ...RAW, '--json');
  expect([code, JSON.parse(out)]).toMatchObject([0, { bars: 3, future: 2 }]);
  expect(err).toContain(
    'AAPL 1d: 2 bars of the future, the first of 2049-03-04T14:30:00Z. Were the dates of the file',
  );
});

describe('a zone abbreviation that is the same in summer', () => {
  const HEADER = 'Date,Open,High,Low,Close,Volume\n';
  test.each([
    ['is New York where its minutes are those of a session there', 570, ' EST', 'America/New_York', HEADER],
    ['is an offset where its minutes are those of a session then', 510, ' EST', 'UTC-5', HEADER],
    ['is read in a header, too', 570, '', 'America/New_York', HEADER.replace('Date', 'Time (EST)')],
    ['is Chicago where its minutes are those of a session there', 510, ' CST', 'America/Chicago', HEADER],
  ])('%s', async (...[, first, zone, name, header]) => {
    const { out } = await imported(header + summer(first, 390, zone), ...MINUTES);
    expect(out).toContain(` is 2025-07-02T13:30:00Z (${name});`);
    expect(await stored('1m')).toHaveLength(390);
  });

  test('needs --zone if both readings fit', async () => {
    const text = HEADER + summer(600, 3, ' EST');
    const { code, err } = await imported(text, ...MINUTES);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /a\.csv:2: .*several zones \(--zone UTC-5, --zone America\/New_York or another\)\. Add --zone to \S.*The row is: /,
      ),
    ]);
    await imported(text, ...MINUTES, '--zone', 'new-york');
    expect((await stored('1m'))[0]?.[0]).toBe('2025-07-02T14:00');
  });
});

describe('a zone abbreviation in a file with hours before and after the session', () => {
  const ZONES = /several zones \(--zone UTC-5, --zone America\/New_York or another\)/;
  test.each([
    ['the last day ends early', summer(240, 600, ' EST')],
    ['the first day begins late', summer(720, 480, ' EST')],
  ])('needs --zone although one zone puts more times in the session: %s', async (...[, rows]) => {
    const { code, err } = await imported(`${DAILY}\n${rows}`, ...MINUTES);
    expect([code, err]).toEqual([2, expect.stringMatching(ZONES)]);
  });

  test('is overridden by --zone', async () => {
    const text = `${DAILY}\n${summer(570, 390, ' EDT')}`;
    expect((await imported(text, ...MINUTES, '--zone', 'utc')).code).toBe(0);
    expect((await stored('1m'))[0]?.[0]).toBe('2025-07-02T13:30');
  });
});

describe('an ambiguous file', () => {
  test.each([
    [
      'days of a worksheet that may count from 1904',
      `${DAILY}\n44197,248,249,241,243,9\n44198,248,249,241,243,9\n`,
      RAW,
      /a\.csv:3: "44198" is 2021-01-02, on a weekend, .* from 1900, and 2025-01-03 .* 1904: write the column as dates/,
    ],
    [
      'dates that may begin with day or month',
      `${DAILY}\n02/01/2025,248,249,241,243,9\n03/01/2025,248,249,241,243,9\n`,
      RAW,
      /a\.csv:2: "02\/01\/2025" is 2025-01-02 \(--dates dmy\) or 2025-02-01 \(--dates mdy\).*The row is: 02\/01\/2025,248/,
    ],
    [
      'no zone',
      `${DAILY}\n2025-01-02 09:30,248,249,241,243,9\n`,
      ['--interval', '1h', ...RAW],
      /names no zone.*Add --zone/,
    ],
    [
      'no information on adjusted prices',
      'datetime,open,high,low,close,volume\n2025-01-02,248,249,241,243,9\n',
      [],
      /Add --prices/,
    ],
    [
      'a comma that may be a decimal sign',
      'datetime;open;high;low;close;volume\n2025-01-02;1,248;1,249;1,241;1,243;9\n',
      RAW,
      /a\.csv:2: "1,248" .*--decimal point or comma/,
    ],
    [
      'neither zone nor order of days',
      `${DAILY}\n03/02/2025 09:30,1,2,1,2,9\n`,
      ['--interval', '1h', ...RAW],
      /Add --dates and --zone/,
    ],
    [
      'another currency in a column',
      `${DAILY},Currency\n2025-01-02,248,249,241,243,9,EUR\n`,
      RAW,
      /a\.csv:2: the currency is "EUR": prices and payments are in USD/,
    ],
    [
      'another currency in a cell',
      `${DAILY}\n2025-01-02,€248,€249,€241,€243,9\n`,
      RAW,
      /a\.csv:2: open is "€248"/,
    ],
    [
      'several bars a day and no interval',
      `${DAILY}\n2025-01-02 09:30,1,2,1,2,9\n2025-01-02 10:30,1,2,1,1,9\n`,
      RAW,
      /several bars of this day.*--interval 1h/,
    ],
    [
      'two bars that contradict each other',
      `${DAILY}\n2025-01-02,1,2,1,2,9\n2025-01-02,1,2,1,1,9\n`,
      RAW,
      /a\.csv:3: this bar contradicts that of .*a\.csv:2, .*2025-01-02,1,2,1,2,9/,
    ],
  ] as const)('with %s is refused with the flag or row that decides', async (...[, text, flags, why]) => {
    const { code, err } = await imported(text, ...flags);
    expect([code, err]).toEqual([2, expect.stringMatching(why)]);
  });

  test('rows left out of an import are counted by reason, with holidays by name', async () => {
    const row = (date: string) => `${date},248,249,241,243,9`;
    const rows = ['2025-01-02', '2025-01-02', '2025-01-04', '2025-01-09'].map(row);
    const { code, err } = await imported(
      [DAILY, ...rows, DAILY, '2025-01-10,-,n/a,null,,0', 'Downloaded', ''].join('\n'),
      ...RAW,
    );
    expect([code, err]).toEqual([
      0,
      expect.stringMatching(
        /rows left out: 1 with the header again, 1 without prices, 1 of remarks, 1 the same as the row before, 1 on weekends, 1 on holidays \(2025-01-09 mourning for President Carter\)\n/,
      ),
    ]);
  });

  test('a file that leaves no bar is refused with the reasons', async () => {
    const { code, err } = await imported(
      `${DAILY}\n2025-02-03 04:00,100,101,99,100,9\n2025-02-03 08:00,100,101,99,100,9\n`,
      ...HOUR,
    );
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/no bar of the file is usable; rows left out: 2 outside the regular sessions/),
    ]);
  });
});

/** A good row of each source; the test breaks each cell in turn. */
const ROWS = [
  [DAILY, '2025-01-02,248.93,249.10,241.82,243.85,55740730'],
  ['Date,Open,High,Low,Close,Adj Close,Volume', '2025-01-02,248.93,249.10,241.82,243.85,243,55740730'],
  [
    'timestamp,open,high,low,close,volume,trade_count,vwap',
    '2025-01-02 05:00:00+00:00,248,249,241,243,9,7,245.5',
  ],
  ['Date,Close/Last,Volume,Open,High,Low', '01/13/2025,$243.85,55740730,$248.93,$249.10,$241.82'],
  [
    'date,close,high,low,open,volume,adjClose,divCash,splitFactor',
    '2025-01-02T00:00:00.000Z,243,249,241,248,9,243,0.0,1.0',
  ],
  ['date,open,high,low,close,volume,average,barCount', '20250102,248,249,241,243,9,245.5,7'],
] as const;
const BROKEN = ROWS.flatMap(([header, row]) =>
  header.split(',').map((name, column) => [name, header, row, column] as const),
);

test.each(BROKEN)(
  'a broken cell of %s in %s is refused with file, line and row',
  async (...[, header, row, column]) => {
    const broken = row
      .split(',')
      .map((cell, at) => (at === column ? '2x4?' : cell))
      .join(',');
    const { code, err } = await imported(`${header}\n${row}\n${broken}\n`, ...RAW);
    expect([code, err]).toEqual([2, expect.stringMatching(/a\.csv:3: .*2x4\?.*The row is: /)]);
  },
);

describe('dividends and splits', () => {
  const YFINANCE =
    'Date,Open,High,Low,Close,Volume,Dividends,Stock Splits\n' +
    '2020-08-06,113,114,112,113,9,0.0,0.0\n2020-08-07,113,114,110,111,9,0.205,0.0\n' +
    '2020-08-28,126,127,124,124.8,9,0.0,0.0\n2020-08-31,127,131,126,129,9,0.0,4.0\n';
  const actions = () =>
    (
      JSON.parse(readFileSync(join(cwd, 'store/AAPL/actions.json'), 'utf8')) as {
        actions: { exDate: string; cashPerShare: string | null; newRate: string | null }[];
      }
    ).actions.map(({ exDate, cashPerShare, newRate }) => [exDate, cashPerShare ?? newRate]);
  const OWN = 'exDate,type,oldRate,newRate,cashPerShare\n';

  test('of a yfinance file of bars are read per share of their own day', async () => {
    expect((await imported(YFINANCE)).code).toBe(0);
    expect(actions()).toEqual([
      ['2020-08-07', '0.82'],
      ['2020-08-31', '4'],
    ]);
    expect((await stored()).slice(2).map(([, close]) => close)).toEqual([499.2, 129]);
  });

  test('of a yfinance file are read with --actions', async () => {
    expect((await imported(YFINANCE, '--actions')).code).toBe(0);
    expect(actions()).toEqual([
      ['2020-08-07', '0.82'],
      ['2020-08-31', '4'],
    ]);
  });

  /** Before the split: 0.82 a share, and 1 − 0.82 / C with C = 113 + 0.82. The split of 31 August is stored, from elsewhere. */
  test.each([[[]], [['--actions']]])(
    'of a file written before a stored split are taken as they are: %j',
    async (flags) => {
      await imported(`${OWN}2020-08-31,forward_split,1,4,\n`, '--actions');
      const before =
        'Date,Open,High,Low,Close,Volume,Dividends,Stock Splits\n2020-08-06,113,114,112,113,9,0.0,0.0\n';
      const { code } = await imported(
        `${before}2020-08-07,113,114,110,111,9,0.82,0.0\n`,
        '--as-of',
        '2020-08-11',
        ...flags,
      );
      expect(code).toBe(0);
      expect(actions()).toEqual([
        ['2020-08-07', '0.82'],
        ['2020-08-31', '4'],
      ]);
      if (flags.length === 0) expect((await stored()).map(([, close]) => close)).toEqual([113.82, 111]);
    },
  );

  test.each(['11.08.2020', '2020-8-11', '2020-02-31'])(
    'of a file written on %s are refused: it is no date',
    async (day) => {
      const { code, err } = await imported(YFINANCE, '--as-of', day);
      expect([code, err]).toEqual([
        2,
        expect.stringContaining(`--as-of: "${day}" is not a date: write YYYY-MM-DD`),
      ]);
    },
  );

  test('are also undone in a file with our own header if --prices says so; a column file is refused', async () => {
    await imported(`${OWN}2020-08-31,forward_split,1,4,\n`, '--actions');
    const own =
      'ts,open,high,low,close,volume\n2020-08-28,126,127,124,124.5,8\n2020-08-31,127,131,126,129,9\n';
    const { code, out } = await imported(own, '--prices', 'splits');
    expect([code, out]).toEqual([0, expect.stringContaining('prices adjusted for splits')]);
    expect((await stored()).map(([, ...values]) => values)).toEqual([
      [498, 2],
      [129, 9],
    ]);
    await drover(['data', 'export', 'AAPL', '--format', 'f64', '--out', 'a.f64', '--data', 'store'], { cwd });
    const flags = ['--symbol', 'AAPL', '--data', 'other', '--prices', 'splits'];
    const columns = await drover(['data', 'import', 'a.f64', ...flags], { cwd });
    expect([columns.code, columns.err]).toEqual([
      2,
      expect.stringMatching(/a column file has prices as traded/),
    ]);
  });

  test('that contradict stored ones are refused, with both shown', async () => {
    await imported(`${OWN}2020-08-07,cash_dividend,,,0.205\n2020-08-31,forward_split,1,4,\n`, '--actions');
    const { code, err } = await imported(YFINANCE);
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(
        /a\.csv:3: the file has a cash dividend of 2020-08-07, 0\.82 a share; stored is a cash dividend of 2020-08-07, 0\.205 a share/,
      ),
    ]);
  });

  test('per share of today are refused without the later splits', async () => {
    const { code, err } = await imported('Date,Dividends\n2020-08-07,0.205\n', '--actions');
    expect([code, err]).toEqual([
      2,
      expect.stringMatching(/per share of today, and no split of the symbol is known/),
    ]);
  });

  test.each([
    [
      'on a day without a session',
      '2022-06-05,forward_split,1,20,\n2022-06-06,forward_split,1,20,\n',
      /a\.csv:2: exDate 2022-06-05 is not a session \(a Sunday\).*2022-06-03 and 2022-06-06/,
    ],
    [
      'given with two dates',
      '2022-06-03,forward_split,1,20,\n2022-06-06,forward_split,1,20,\n',
      /a\.csv:3: forward split of 2022-06-06, 20 for 1 contradicts forward split of 2022-06-03, 20 for 1 of .*a\.csv:2/,
    ],
    [
      'given with two ratios',
      '2022-06-06,forward_split,1,10,\n2022-06-06,forward_split,1,20,\n',
      /contradicts/,
    ],
  ] as const)('%s are refused', async (...[, rows, why]) => {
    const { code, err } = await imported(`${OWN}${rows}`, '--actions');
    expect([code, err]).toEqual([2, expect.stringMatching(why)]);
  });

  test('given twice are stored once', async () => {
    expect(
      (
        await imported(
          `${OWN}2022-06-06,forward_split,1,20,\n2022-06-06,forward_split,1.0,20.0,\n`,
          '--actions',
        )
      ).code,
    ).toBe(0);
    expect(actions()).toEqual([['2022-06-06', '20']]);
  });
});
