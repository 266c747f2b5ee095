import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pageOf } from '../../../report/html/pageOf.ts';
import { plainRecord, tradeOn } from '../../../report/html/records.ts';
import { tradesCsv } from '../../../../src/report/tradesCsv.ts';
import { drover } from '../../support/commandLine.ts';

const record = plainRecord(30, { trades: [tradeOn(3)] });
let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'drover-report-'));
  writeFileSync(join(cwd, 'run.json'), JSON.stringify(record));
  writeFileSync(join(cwd, 'other.json'), '{"format":1}');
});
afterAll(() => rmSync(cwd, { recursive: true }));

test('a report is written next to the record, and its path printed', async () => {
  const { code, out, err } = await drover(['report', 'run.json'], { cwd });
  expect({ code, err }).toEqual({ code: 0, err: '' });
  expect(out).toMatch(/^report {3}.*run\.html \(\d+ kB\)\n$/);
  expect(readFileSync(join(cwd, 'run.html'), 'utf8')).toBe(pageOf(record));
});

test('--json prints the path and size as data, and --out replaces the named file atomically', async () => {
  writeFileSync(join(cwd, 'there.html'), '<!doctype html>old');
  const { code, out } = await drover(['report', 'run.json', '--out', 'there.html', '--json'], { cwd });
  const bytes = Buffer.byteLength(pageOf(record));
  expect(code).toBe(0);
  expect(JSON.parse(out)).toEqual({ report: join(cwd, 'there.html'), bytes, runId: record.run.runId });
  expect(readFileSync(join(cwd, 'there.html'), 'utf8')).toBe(pageOf(record));
  expect(readdirSync(cwd).filter((name) => name.endsWith('.tmp'))).toEqual([]);
});

test('--trades writes the closed trades as CSV, and no page unless --out asks for one', async () => {
  const alone = await drover(['report', 'run.json', '--trades', 'trades.csv'], { cwd });
  expect(alone).toMatchObject({ code: 0, out: `trades   ${join(cwd, 'trades.csv')}\n`, err: '' });
  expect(readFileSync(join(cwd, 'trades.csv'), 'utf8')).toBe(tradesCsv(record));
  const both = await drover(['report', 'run.json', '--trades', 'trades.csv', '--out', 'a.html', '--json'], {
    cwd,
  });
  expect(JSON.parse(both.out)).toMatchObject({
    report: join(cwd, 'a.html'),
    trades: join(cwd, 'trades.csv'),
  });
});

test.each([
  [['none.json'], /none\.json: there is no such file/],
  [['other.json'], /other\.json is not the record of a run: run: /],
  [
    ['run.json', '--out', 'no/where.html'],
    /--out: cannot write .*no\/where\.html: there is no folder .*no\. Make it first \(mkdir -p .*no\), or name a file elsewhere$/m,
  ],
  [['run.json', '--out', 'run.json'], /--out: .*run\.json is the record itself/],
  [
    ['run.json', '--trades', 'run.json'],
    /--trades: .*run\.json exists already, and is not an older list of trades/,
  ],
  [['run.json', '--trades', 'x.html', '--out', './x.html'], /--trades: x\.html is already written by --out/],
])('report %j is refused with exit 2', async (argv, message) => {
  const { code, out, err } = await drover(['report', ...argv], { cwd });
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(message) as string });
});
