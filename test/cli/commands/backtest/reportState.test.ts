import { chmodSync, cpSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Status } from '../../../../src/ops/model/status.ts';
import type { RunRecord } from '../../../../src/report/runRecord.ts';
import { drover } from '../../support/commandLine.ts';
import { emptyState, stateSaying } from '../../support/stateFolder.ts';

let cwd = '';
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), 'drover-report-'));
});
afterAll(() => rmSync(cwd, { recursive: true }));

const run = (...argv: string[]) => drover(argv, { cwd });

describe('a journal of 0.3.0', () => {
  let config = '';
  beforeAll(() => {
    const fixture = fileURLToPath(new URL('../../../fixtures/journal-0.3.0-resumed', import.meta.url));
    cpSync(fixture, join(cwd, 'old'), { recursive: true });
    chmodSync(join(cwd, 'old', 'state'), 0o700);
    config = join(cwd, 'old', 'config.yaml');
  });

  test('has a record that equals its status, with the parameters of its config', async () => {
    const { code, out, err } = await run('report', '--config', config, '--json');
    expect([code, err]).toEqual([0, '']);
    const { totals, run: made, fills } = JSON.parse(out) as RunRecord;
    const status = JSON.parse((await run('status', '--config', config, '--json')).out) as Status;
    expect(totals.equity.end).toBe(status.equity);
    expect(totals.pnl).toBe(status.pnl.total);
    expect(fills.length).toBeGreaterThan(0);
    expect(made.params).not.toEqual({});
  });

  test('has a backtest of the same days, with its capital, and both are compared', async () => {
    const state = join(cwd, 'old', 'state');
    const like = ['backtest', config, '--like', state, '--save', 'like.json', '--json'];
    const { code, out, err } = await run(...like);
    expect(code).toBe(0);
    expect(err).toMatch(
      /^(drover: --like: orders of [A-Z]+ fill by bars of a minute made from the quotes.*\n)*$/,
    );
    const live = JSON.parse((await run('report', '--config', config, '--json')).out) as RunRecord;
    const { equity, fills } = { fills: live.fills.length, ...(JSON.parse(out) as RunRecord['totals']) };
    const capital = (live.totals.strategies ?? []).map(({ id }) =>
      Number(live.run.settings[`capital ${id}`]),
    );
    expect(Number(equity.start)).toBe(capital.reduce((sum, each) => sum + each, 0));
    const compared = JSON.parse((await run('compare', state, 'like.json', '--json')).out) as {
      execution: { fills: { a: number; matched: number } };
    };
    expect(compared.execution.fills.a).toBe(fills);
    expect(compared.execution.fills.matched).toBeGreaterThan(0);
  });

  test.each([
    [['--like', 'old/state'], /--like old\/state: name the config of that run|which strategy\?/],
    [['CONFIG', '--like', 'old/state', '--cash', '5'], /--cash: --like takes it from the journal/],
  ])('refuses %j with exit 2', async (argv, message) => {
    const { code, err } = await run('backtest', ...argv.map((word) => (word === 'CONFIG' ? config : word)));
    expect([code, err]).toEqual([2, expect.stringMatching(message)]);
  });

  test('is drawn as a page for each strategy', async () => {
    const { code, out } = await run('report', '--config', config, '--of', 'strategies', '--out', 'a.html');
    expect(code).toBe(0);
    const pages = out.trimEnd().split('\n');
    expect(pages.length).toBeGreaterThan(0);
    for (const line of pages) expect(existsSync(/report {3}(\S+)/.exec(line)?.[1] ?? '')).toBe(true);
  });
});

test('a journal without a session has a page that says so', async () => {
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
    /run\.json is a record already: leave out --state and --of, or the file/,
  ],
  [['--state', 'EMPTY'], /there is no journal in /],
  [
    ['--state', 'STATE', '--out', 'no/where.html'],
    /--out: cannot write .*no\/where\.html: there is no folder/,
  ],
])('%j is refused with exit 2', async (argv, message) => {
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
