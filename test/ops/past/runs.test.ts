import {
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Question } from '../../../src/ops/past/question.ts';
import type { RunComparison, RunList } from '../../../src/ops/past/runs.ts';
import type { RunRecord } from '../../../src/report/runRecord.ts';
import { shownText } from '../../../src/core/printable.ts';
import { drover } from '../../cli/support/commandLine.ts';
import { answerOnce } from './asking.ts';
import { plainRecord, tradeOn } from '../../report/html/records.ts';
import type { PastRun } from '../../../src/ops/past/ownRecords.ts';

const CONFIG = `state: ./state
strategies:
  - { id: steady, use: dca, capital: 5000, params: { symbol: SPY, notional: 500, at: '15:40' } }
  - { id: mix, use: rebalance, capital: 5000, params: { weights: { AAPL: 0.4 }, band: 0.01, at: ['15:45'] } }
`;

let cwd = '';
let run: PastRun;
const folder = (name = 'runs') => join(cwd, name);
const save = (name: string, record: unknown) =>
  writeFileSync(join(folder(), name), typeof record === 'string' ? record : JSON.stringify(record));
const ask = (question: Question): unknown => JSON.parse(answerOnce(question, run));
const list = (of: 'saved' | 'live' | null) => ask({ kind: 'runs', of }) as RunList;
const rowOf = (name: string) => list('saved').runs.find((row) => row.name === name);

const other = plainRecord(3, {
  trades: [tradeOn(1)],
  totals: { ...plainRecord(3).totals, trades: 1, pnl: '12.5', equity: { start: '1000', end: '1012.5' } },
  metrics: { totalReturn: 0.0125, sharpe: null },
});

beforeAll(async () => {
  cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  writeFileSync(join(cwd, 'run.yaml'), CONFIG);
  const argv = ['run', 'run.yaml', '--start', '2026-06-15T15:35', '--speed', 'max', '--until', 'sessions:1'];
  expect((await drover(argv, { cwd })).code).toBe(0);
  const journal = join(cwd, 'state', 'journal.sqlite');
  run = { journal, kind: 'emulator', account: 'x', params: [], exceptions: [], runs: folder() };
});
beforeEach(() => {
  rmSync(folder(), { recursive: true, force: true });
  mkdirSync(folder());
  save('idle.json', plainRecord(3));
  save('other.json', other);
  save('notes.txt', 'not a record');
});
afterAll(() => rmSync(cwd, { recursive: true }));

describe('the list of runs', () => {
  test('has this run, its strategies and every saved record, with the figures of their reports', () => {
    const { runs, problem, left } = list(null);
    expect([problem, left]).toEqual([null, 0]);
    expect(runs.slice(0, 4).map(({ id, kind, savedAt }) => [id, kind, savedAt])).toEqual([
      ['live', 'live', null],
      ['live:strategies', 'live', null],
      ['live:steady', 'live', null],
      ['live:mix', 'live', null],
    ]);
    for (const [index, strategy] of [null, undefined, 'steady', 'mix'].entries()) {
      if (strategy === undefined) continue;
      const { totals, metrics, run: own } = ask({ kind: 'record', strategy, since: null }) as RunRecord;
      const headline = runs[index]?.headline;
      expect(headline).toMatchObject({ kind: 'emulator', pnl: totals.pnl, fees: totals.fees, to: own.to });
      expect(headline?.metrics.maxDrawdown).toBe(metrics['maxDrawdown']);
    }
    const names = runs.slice(4).map(({ name }) => name);
    expect(names.toSorted()).toEqual(['idle.json', 'other.json']);
    expect(rowOf('other.json')).toMatchObject({
      kind: 'saved',
      problem: null,
      headline: { trades: 1, pnl: '12.5', metrics: { totalReturn: 0.0125, sharpe: null, cagr: null } },
    });
  });

  test('is empty without a problem before anything has been saved', () => {
    rmSync(folder(), { recursive: true });
    expect(list('saved')).toEqual({ folder: folder(), problem: null, left: 0, runs: [] });
  });

  test('is sorted by the time of saving', () => {
    save('old.json', plainRecord(1));
    utimesSync(join(folder(), 'old.json'), 1_000, 1_000);
    expect(list('saved').runs.at(-1)).toMatchObject({
      name: 'old.json',
      savedAt: '1970-01-01T00:16:40Z',
    });
  });

  test('says what is wrong with a file that is not a record, and lists the others', () => {
    const text = JSON.stringify(plainRecord(3));
    const broken: readonly (readonly [name: string, text: string, problem: RegExp])[] = [
      ['cut.json', text.slice(0, -9), /cut\.json is not the record of a run: it is not JSON/],
      ['empty.json', '', /empty\.json is not .*not JSON/],
      ['result.json', '{"strategy":"s","pnl":"4"}', /result\.json is not .*: format: /],
      ['marks.json', text.replace('"equity":1000', '"equity":"much"'), /marks\.0\.equity: .*number/],
      ['deep.json', '['.repeat(100_000), /deep\.json is not/],
      [
        'key.json',
        text.replace('"sent":0', `"${'k'.repeat(100_000)}":"x"`),
        /totals\.orders\.kkk.* more characters\)$/,
      ],
    ];
    for (const [name, content, problem] of broken) {
      save(name, content);
      const row = rowOf(name);
      expect(row).toMatchObject({ headline: null, problem: expect.stringMatching(problem) as string });
      expect(row?.problem?.length).toBeLessThan(500);
      expect(() => answerOnce({ kind: 'run', id: name }, run)).toThrow(problem);
    }
    expect(list('saved').runs.filter(({ problem }) => problem === null)).toHaveLength(2);
  });

  test('skips links, folders, pipes and files that are too large', () => {
    writeFileSync(join(cwd, 'secret.json'), JSON.stringify(plainRecord(1)));
    symlinkSync(join(cwd, 'secret.json'), join(folder(), 'link.json'));
    mkdirSync(join(folder(), 'folder.json'));
    execFileSync('mkfifo', [join(folder(), 'pipe.json')]);
    save('large.json', '');
    truncateSync(join(folder(), 'large.json'), 33 * 1024 * 1024);
    const problems = {
      'link.json': /it is a link/,
      'folder.json': /not a regular file/,
      'pipe.json': /not a regular file/,
      'large.json': /it has 33 MB, and only records up to 32 MB/,
    };
    for (const [name, problem] of Object.entries(problems)) {
      expect(rowOf(name)).toMatchObject({
        headline: null,
        problem: expect.stringMatching(problem) as string,
      });
      expect(() => answerOnce({ kind: 'run', id: name }, run)).toThrow(problem);
    }
  });

  test('shows foreign names unchanged, and cuts long values', () => {
    const strange = `${'ü'.repeat(60)}<b>&\u202E.json`;
    const record = plainRecord(1);
    const symbols = Array.from({ length: 1_000 }, (_, at) => `S${at}`);
    save(strange, { ...record, run: { ...record.run, strategy: 's'.repeat(100_000), symbols } });
    const { name, headline } = rowOf(strange) ?? {};
    expect(name).toBe(strange);
    expect(headline?.strategy.length).toBeLessThan(300);
    expect(headline?.symbols).toHaveLength(20);
    expect((ask({ kind: 'run', id: strange }) as RunRecord).run.symbols).toHaveLength(1_000);
  });

  test('has the newest 200 files, and counts the older ones', () => {
    const names = Array.from({ length: 205 }, (_, at) => `many-${at}.json`);
    for (const name of names) save(name, '{}');
    const { left, runs } = list('saved');
    expect([left, runs.length]).toEqual([7, 200]);
  });

  test('is empty, without a problem, if the folder does not exist', () => {
    const runs = folder('none');
    const { runs: rows, problem } = JSON.parse(
      answerOnce({ kind: 'runs', of: 'saved' }, { ...run, runs }),
    ) as RunList;
    expect([rows, problem]).toEqual([[], null]);
  });

  test('needs no journal for saved records', () => {
    const lost = { ...run, journal: join(cwd, 'lost.sqlite') };
    const { runs } = JSON.parse(answerOnce({ kind: 'runs', of: 'saved' }, lost)) as RunList;
    expect(runs).toHaveLength(2);
    expect(() => answerOnce({ kind: 'runs', of: 'live' }, lost)).toThrow(/lost\.sqlite/);
  });
});

describe('a run of the list', () => {
  test('has its record without fills and other long lists', () => {
    const { trades, metrics, marks, totals } = ask({ kind: 'run', id: 'other.json' }) as RunRecord;
    expect({ trades, metrics, marks, totals }).toEqual({
      trades: [],
      metrics: other.metrics,
      marks: other.marks,
      totals: other.totals,
    });
    const own = ask({ kind: 'run', id: 'live:steady' }) as RunRecord;
    const whole = ask({ kind: 'record', strategy: 'steady', since: null }) as RunRecord;
    expect([own.marks, own.metrics, own.totals]).toEqual([whole.marks, whole.metrics, whole.totals]);
    expect(own.fills).toEqual([]);
    expect(whole.fills.length).toBeGreaterThan(0);
  });

  test.each([
    '../run.json',
    '../secret.json',
    'runs/idle.json',
    './idle.json',
    '/etc/passwd',
    'idle.json\0',
    'IDLE.JSON',
    'idle',
    '',
    '.',
    '..',
    'x'.repeat(500),
    '__proto__',
  ])('is found only by a file name in the folder: %j', (id) => {
    writeFileSync(join(cwd, 'run.json'), JSON.stringify(plainRecord(1)));
    expect(() => answerOnce({ kind: 'run', id }, run)).toThrow(`there is no record ${shownText(id, 255)} in`);
  });

  test('is refused for an unknown strategy with the known ones', () => {
    expect(() => answerOnce({ kind: 'run', id: 'live:nobody' }, run)).toThrow(
      'this journal has no strategy "nobody". It has steady, mix',
    );
  });
});

describe('a comparison of two runs', () => {
  const compare = (a: string, b: string) => ask({ kind: 'comparison', a, b }) as RunComparison;

  test('equals that of `drover compare`, with the equity of both', async () => {
    const { a, b, ...comparison } = compare('idle.json', 'other.json');
    const { out } = await drover(['compare', 'runs/idle.json', 'runs/other.json', '--json'], { cwd });
    const { a: _a, b: _b, ...printed } = JSON.parse(out) as Record<string, unknown>;
    expect(comparison).toEqual(printed);
    expect([a.id, b.id]).toEqual(['idle.json', 'other.json']);
    expect(b.marks.map(({ equity }) => equity)).toEqual(other.marks.map(({ equity }) => equity));
  });

  test('takes this run by the strategies that a record has, as `drover compare` does', async () => {
    const { a, b: _, ...comparison } = compare('live', 'idle.json');
    const { out } = await drover(['compare', 'state', 'runs/idle.json', '--json'], { cwd });
    expect(JSON.parse(out)).toMatchObject({ totals: comparison.totals, metrics: comparison.metrics });
    expect(a.run.settings['of']).toBe('steady, mix');
    expect(compare('live', 'live:mix').a.run.settings['of']).toBe('account');
  });

  test('names the run that is missing or damaged', () => {
    expect(() => answerOnce({ kind: 'comparison', a: 'idle.json', b: 'gone.json' }, run)).toThrow(
      'there is no record "gone.json"',
    );
  });
});
