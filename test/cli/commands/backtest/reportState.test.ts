import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { tradingCalendar } from '../../../../src/calendar/index.ts';
import { journalFile } from '../../../../src/app/environment/ownership.ts';
import { parseCash, parsePrice } from '../../../../src/core/amount.ts';
import { epochMs } from '../../../../src/core/brand.ts';
import { ticker } from '../../../../src/domain/instrument.ts';
import type { JournalEvent } from '../../../../src/domain/journalEvent.ts';
import type { Status } from '../../../../src/ops/model/status.ts';
import type { RunRecord } from '../../../../src/report/runRecord.ts';
import { tradesCsv } from '../../../../src/report/tradesCsv.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { drover } from '../../support/commandLine.ts';
import { emptyState, stateSaying } from '../../support/stateFolder.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'drover-report-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

/** CSV lines of one bar per minute of a session, all at one price. */
function minutesOf(date: string): string[] {
  const session = tradingCalendar.sessionOn(date);
  if (!session) throw new Error(`no session on ${date}`);
  return Array.from({ length: (session.close - session.open) / 60_000 }, (_, minute) => {
    const start = new Date(session.open + minute * 60_000).toISOString();
    return `${start},100,101,99,100,1000`;
  });
}

const run = (...argv: string[]) => drover(argv, { cwd });

describe('a journal of version 0.3.0', () => {
  let config = '';
  beforeAll(() => {
    const fixture = fileURLToPath(new URL('../../../fixtures/journal-0.3.0-resumed', import.meta.url));
    cpSync(fixture, join(cwd, 'old'), { recursive: true });
    chmodSync(join(cwd, 'old', 'state'), 0o700);
    config = join(cwd, 'old', 'config.yaml');
  });

  test('gives a record whose totals equal its status, with the parameters of its config', async () => {
    const { code, out, err } = await run('report', '--config', config, '--json');
    expect([code, err]).toEqual([0, '']);
    const { totals, run: made, fills } = JSON.parse(out) as RunRecord;
    const status = JSON.parse((await run('status', '--config', config, '--json')).out) as Status;
    expect(totals.equity.end).toBe(status.equity);
    expect(totals.pnl).toBe(status.pnl.total);
    expect(fills.length).toBeGreaterThan(0);
    expect(made.params).not.toEqual({});
  });

  test('can be repeated by a backtest of the same days and capital, and compared with it', async () => {
    const state = join(cwd, 'old', 'state');
    const like = ['backtest', config, '--like', state, '--save', 'like.json', '--json'];
    const { code, out, err } = await run(...like);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^drover: --like: .* against the quotes before them: 1\.4 bps worse in regular \(77 fills\); --slippage bps:1\.4 .*\n(drover: --like: orders of [A-Z]+ fill on one-minute bars built from the quotes.*\n)*$/,
    );
    expect((await run(...like, '--slippage', 'bps:1.4')).err).not.toContain('against the quotes');
    const live = JSON.parse((await run('report', '--config', config, '--json')).out) as RunRecord;
    const { equity, fills } = { fills: live.fills.length, ...(JSON.parse(out) as RunRecord['totals']) };
    const capital = (live.totals.strategies ?? []).map(({ id }) =>
      Number(live.run.settings[`capital ${id}`]),
    );
    expect(Number(equity.start)).toBe(capital.reduce((sum, each) => sum + each, 0));
    const compared = JSON.parse((await run('compare', state, 'like.json', '--json')).out) as {
      execution: { fills: { a: number; matched: number }; decisions: { a: number; b: number; same: number } };
    };
    const byHand = live.fills.filter(({ strategy }) => strategy === 'unallocated').length;
    expect(compared.execution.fills.a).toBe(fills - byHand);
    expect(compared.execution.fills.matched).toBeGreaterThan(0);
    expect(compared.execution.decisions.same).toBeGreaterThan(0);
    const inWords = await run('compare', state, 'like.json');
    expect([inWords.code, inWords.err]).toEqual([0, '']);
    expect(inWords.out).toMatch(/decisions {2}\d+ and \d+: \d+ the same, \d+ differ/);
    expect(inWords.out).not.toMatch(/\d\.\d{7}/);
  });

  test('is repeated on stored bars if they cover each session, and names the days they do not cover', async () => {
    const state = join(cwd, 'old', 'state');
    const home = join(cwd, 'home');
    const data = join(home, 'drover', 'data');
    const live = JSON.parse((await run('report', '--config', config, '--json')).out) as RunRecord;
    const [symbol = ''] = live.run.symbols;
    const said = async (minutes: number) => {
      rmSync(data, { recursive: true, force: true });
      const rows = live.marks.flatMap(({ date }) => minutesOf(date).slice(0, minutes));
      writeFileSync(join(cwd, 'minutes.csv'), ['ts,open,high,low,close,volume', ...rows].join('\n'));
      const imported = await run(
        'data',
        'import',
        'minutes.csv',
        '--symbol',
        symbol,
        '--interval',
        '1m',
        '--data',
        data,
      );
      expect([imported.code, imported.err]).toEqual([0, '']);
      const argv = ['backtest', config, '--like', state, '--json'];
      const { code, err } = await drover(argv, { cwd, env: { XDG_DATA_HOME: home } });
      expect(code).toBe(0);
      return err;
    };
    const date = live.marks[0]?.date ?? '';
    expect(await said(300)).toContain(
      `orders of ${symbol} fill on one-minute bars built from the quotes in its journal: those in ${data} do not cover ${date}`,
    );
    expect(await said(390)).toContain(`orders of ${symbol} fill on one-minute bars from ${data}`);
  });

  test.each([
    [['--like', 'old/state'], /--like old\/state: name the config of that run|which strategy\?/],
    [['CONFIG', '--like', 'old/state', '--cash', '5'], /--cash: --like takes it from the journal/],
  ])('backtest %j is refused with exit 2', async (argv, message) => {
    const { code, err } = await run('backtest', ...argv.map((word) => (word === 'CONFIG' ? config : word)));
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  test('is compared as a whole, or for one strategy', async () => {
    const state = join(cwd, 'old', 'state');
    const fillsOf = async (of: string) => {
      const { code, out } = await run('compare', state, 'like.json', '--of', of, '--json');
      expect(code).toBe(0);
      return (JSON.parse(out) as { execution: { fills: { a: number } } }).execution.fills.a;
    };
    const live = JSON.parse((await run('report', '--config', config, '--json')).out) as RunRecord;
    expect(await fillsOf('account')).toBe(live.fills.length);
    const ids = (live.totals.strategies ?? []).map(({ id }) => id);
    const each = await Promise.all(ids.map(fillsOf));
    expect(await fillsOf('strategies')).toBe(each.reduce((sum, count) => sum + count, 0));
    expect(await run('compare', 'like.json', 'like.json', '--of', 'account')).toMatchObject({
      code: 2,
      err: expect.stringMatching(/--of: chooses from the journal of a state folder/) as string,
    });
  });

  test('is saved as a record that equals its JSON and can be compared', async () => {
    const { code, out } = await run('report', '--config', config, '--save', 'kept.json');
    expect([code, out]).toEqual([0, expect.stringMatching(/^record {3}\S+kept\.json\n$/)]);
    const printed = JSON.parse((await run('report', '--config', config, '--json')).out) as RunRecord;
    expect(JSON.parse(readFileSync(join(cwd, 'kept.json'), 'utf8'))).toEqual(printed);
    expect((await run('compare', 'kept.json', join('old', 'state'))).code).toBe(0);
    const list = await run('report', '--config', config, '--trades', 'trades.csv');
    expect(list).toMatchObject({
      code: 0,
      out: expect.stringMatching(/^trades {3}\S+trades\.csv\n$/) as string,
    });
    expect(readFileSync(join(cwd, 'trades.csv'), 'utf8')).toBe(tradesCsv(printed));
    await run('report', '--config', config, '--of', 'strategies', '--save', 'each.json');
    expect(readdirSync(cwd).filter((name) => name.startsWith('each-')).length).toBeGreaterThan(0);
  });

  test('is drawn as one page for each strategy', async () => {
    const { code, out } = await run('report', '--config', config, '--of', 'strategies', '--out', 'a.html');
    expect(code).toBe(0);
    const pages = out.trimEnd().split('\n');
    expect(pages.length).toBeGreaterThan(0);
    for (const line of pages) expect(existsSync(/report {3}(\S+)/.exec(line)?.[1] ?? '')).toBe(true);
  });
});

/** State folder of a run of dca from 10:03 to 10:10 of a session. */
function shortRun(): string {
  const state = emptyState();
  const date = '2026-06-15';
  const opened = parseCash('1000');
  const from = tradingCalendar.newYorkTime(date, '10:03');
  const quotes = Array.from({ length: 8 }, (_, minute) => ({
    at: epochMs(from + minute * 60_000),
    fact: { kind: 'quotes', prices: [[ticker('SPY'), parsePrice('100')]] } as const,
  }));
  const facts: JournalEvent[] = [
    { kind: 'epoch', epoch: 1 },
    { kind: 'opened', cash: opened, equity: opened, holdings: [] },
    { kind: 'allocated', strategyId: 'a', amount: opened },
    { kind: 'started', strategies: ['a'] },
    { kind: 'session', change: 'opened', date, equity: [['a', opened]] },
  ];
  const journal = openSqliteJournal(journalFile(state));
  journal.commit([...facts.map((fact) => ({ at: from, fact })), ...quotes]);
  journal.close();
  return state;
}

test.each([
  ['09:40', 0],
  ['10:05', 1],
  ['15:00', 0],
])('a run is repeated from its start to its end: a buy at %s is decided %i times', async (at, planned) => {
  const config = join(cwd, 'short.yaml');
  const params = `{ symbol: SPY, notional: '100', at: '${at}' }`;
  writeFileSync(config, `strategies: [{ id: a, use: dca, capital: '1000', params: ${params} }]\n`);
  const { code, out } = await run('backtest', config, '--like', shortRun(), '--json');
  expect(code).toBe(0);
  expect(JSON.parse(out)).toMatchObject({ from: '2026-06-15T14:03:00Z', orders: { planned } });
});

test('the report of a journal without a session says that no session closed', async () => {
  const state = stateSaying([]);
  const { code, out } = await run('report', '--state', state);
  expect([code, out]).toEqual([0, expect.stringMatching(/^report {3}.*report\.html \(\d+ kB\)\n$/)]);
  expect(readFileSync(join(cwd, 'report.html'), 'utf8')).toContain('no session closed in this run');
});

test.each([
  [
    ['--state', 'STATE', '--of', 'nobody'],
    /--of nobody: write account, strategies, or a strategy of this journal/,
  ],
  [
    ['run.json', '--state', 'STATE'],
    /run\.json is a record already: leave out --state, --of and --save, or the file/,
  ],
  [['--state', 'EMPTY'], /there is no journal in /],
  [
    ['--state', 'STATE', '--save', 'bars.csv'],
    /--save: .*bars\.csv exists already, and is not an older record/,
  ],
  [
    ['--state', 'STATE', '--out', 'a.json', '--save', 'a.json'],
    /--out: a\.json is already written by --save/,
  ],
  [
    ['--state', 'STATE', '--out', 'no/where.html'],
    /--out: cannot write .*no\/where\.html: there is no folder/,
  ],
])('report %j is refused with exit 2', async (argv, message) => {
  writeFileSync(join(cwd, 'bars.csv'), 'ts,open\n');
  const folders: Record<string, string> = { STATE: stateSaying([]), EMPTY: emptyState() };
  const { code, out, err } = await run('report', ...argv.map((word) => folders[word] ?? word));
  expect({ code, out, err }).toEqual({ code: 2, out: '', err: expect.stringMatching(message) as string });
});

test('compare takes a state folder on either side', async () => {
  const state = stateSaying([]);
  const { code, out, err } = await run('compare', state, state, '--json');
  expect([code, err]).toEqual([0, '']);
  expect(JSON.parse(out)).toMatchObject({ same: true, execution: { fills: { a: 0, b: 0, matched: 0 } } });
});
