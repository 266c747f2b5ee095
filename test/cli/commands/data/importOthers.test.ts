import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { drover } from '../../support/commandLine.ts';

let cwd = '';
beforeEach(() => (cwd = mkdtempSync(join(tmpdir(), 'drover-import-'))));
afterEach(() => rmSync(cwd, { recursive: true }));

const data = (...argv: readonly string[]) => drover(['data', ...argv, '--data', 'store'], { cwd });
const write = (name: string, text: string) => writeFileSync(join(cwd, name), text);
const closes = async (symbol: string) =>
  (await data('export', symbol)).out
    .trim()
    .split('\n')
    .slice(1)
    .map((line) => Number(line.split(',')[4]));

const YAHOO = `Date,Open,High,Low,Close,Adj Close,Volume
2026-06-15,25,26,24,25,24.9,400
2026-06-16,50,51,49,50,49.8,400
2026-06-17,51,52,50,51,50.8,100
`;
const ACTIONS = 'exDate,type,oldRate,newRate,cashPerShare\n2026-06-17,forward_split,1,2,\n';

describe('drover data import of other sources', () => {
  test('refuses adjusted prices until the actions are stored, then undoes the adjustment', async () => {
    write('AAPL.csv', YAHOO);
    const refused = await data('import', 'AAPL.csv', '--symbol', 'AAPL');
    expect(refused.code).toBe(2);
    expect(refused.err).toContain('has the columns of Yahoo Finance, which adjusts prices for later splits');
    write('actions.csv', ACTIONS);
    await data('import', 'actions.csv', '--actions', '--symbol', 'AAPL');
    expect((await data('import', 'AAPL.csv', '--symbol', 'AAPL')).code).toBe(0);
    expect(await closes('AAPL')).toEqual([50, 100, 51]);
  });

  test('takes prices as they are with --prices raw', async () => {
    write('AAPL.csv', YAHOO);
    expect((await data('import', 'AAPL.csv', '--symbol', 'AAPL', '--prices', 'raw')).code).toBe(0);
    expect(await closes('AAPL')).toEqual([25, 50, 51]);
  });

  test('names the line of an error in the file, and counts the rows it left out', async () => {
    write(
      'a.csv',
      YAHOO.replace('2026-06-16,50', '2026-06-16,x').replace(
        '2026-06-15,25,26,24,25,24.9',
        '2026-06-15,null,null,null,null,null',
      ),
    );
    const { code, err } = await data('import', 'a.csv', '--symbol', 'AAPL', '--prices', 'raw');
    expect([code, err]).toEqual([2, expect.stringContaining('a.csv:3: open is "x"')]);
    write('b.csv', YAHOO.replace('2026-06-15,25,26,24,25,24.9', '2026-06-15,null,null,null,null,null'));
    expect((await data('import', 'b.csv', '--symbol', 'AAPL', '--prices', 'raw')).err).toContain(
      'rows left out: 1 without prices',
    );
  });

  test('takes a folder, each file by its name, and names the files that it cannot read', async () => {
    mkdirSync(join(cwd, 'bars'));
    write('bars/AAPL.csv', YAHOO);
    write('bars/brk-b.us.txt', YAHOO);
    write('bars/MSFT_1d.csv', 'nonsense\n');
    write('bars/notes.md', 'no bars');
    const { code, out } = await data('import', 'bars', '--prices', 'raw');
    expect(code).toBe(1);
    expect(out.split('\n')).toEqual([
      expect.stringMatching(
        /^read as: file of Yahoo Finance; cut by commas; "2026-06-15" is 2026-06-15; .*as traded$/,
      ),
      'AAPL 1d: 3 new bars, now 3 from 2026-06-15T13:30:00Z to 2026-06-17T13:30:00Z',
      expect.stringMatching(/^read as: /),
      'BRK.B 1d: 3 new bars, now 3 from 2026-06-15T13:30:00Z to 2026-06-17T13:30:00Z',
      expect.stringMatching(/^MSFT_1d\.csv was left out: .*the header is "nonsense"/),
      '',
    ]);
    const { imported, failed } = JSON.parse(
      (await data('import', 'bars', '--prices', 'raw', '--json')).out,
    ) as { imported: object[]; failed: object[] };
    expect([imported.length, failed.length]).toEqual([2, 1]);
  });

  test.each([
    [['bars', '--symbol', 'AAPL'], 'a folder is imported by itself'],
    [['AAPL.csv'], 'which symbol? Name it'],
    [['AAPL.csv', '--symbol', 'AAPL', '--prices', 'odd'], '--prices "odd": write raw or splits or all'],
    [['AAPL.csv', '--symbol', 'AAPL', '--columns', 'open=Begin'], 'no column is called "Begin"'],
  ])('refuses %j', async (argv, why) => {
    mkdirSync(join(cwd, 'bars'));
    write('AAPL.csv', YAHOO);
    const { code, err } = await data('import', ...argv);
    expect([code, err]).toEqual([2, expect.stringContaining(why)]);
  });
});
