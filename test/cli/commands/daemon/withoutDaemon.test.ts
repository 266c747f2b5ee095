import { cpSync, existsSync, mkdirSync, mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { statusSchema } from '../../../../src/ops/model/status.ts';
import { holdNamed } from '../../../../src/app/environment/locks.ts';
import { markTemporaryState } from '../../../../src/app/environment/temporaryState.ts';
import { ticker } from '../../../../src/domain/instrument.ts';
import type { JournalEvent } from '../../../../src/domain/journalEvent.ts';
import { drover } from '../../support/commandLine.ts';
import { SYNTHETIC_EVENTS } from '../../../store/syntheticEvents.ts';
import { parseCash } from '../../../../src/core/amount.ts';
import { booksIn, stateSaying } from '../../support/stateFolder.ts';

const ENDED: JournalEvent = { kind: 'ended', why: 'asked to stop by SIGINT', how: 'in order' };
const FROZEN: JournalEvent = { kind: 'frozen', symbol: ticker('AAPL'), why: 'three orders failed' };

/** State folder of a run on the emulator, with the bundled config. */
function emulated(facts: readonly JournalEvent[]): string {
  const folder = stateSaying(facts);
  mkdirSync(join(folder, 'emulator'));
  return folder;
}

let state: string;
let env: Record<string, string>;
beforeEach(() => {
  state = emulated([FROZEN, ENDED]);
  // Daemons of this user would be found in the default folder.
  env = { XDG_RUNTIME_DIR: mkdtempSync(join(tmpdir(), 'drover-')) };
});

const run = (...argv: string[]) => drover([...argv, '--state', state], { env });

describe('status without a daemon', () => {
  test('is read from the journal, and says how the last run ended', async () => {
    const { code, out } = await run('status', '--json');
    expect(code).toBe(0);
    const status = statusSchema.parse(JSON.parse(out));
    expect(status).toMatchObject({
      running: false,
      ready: false,
      mode: 'emulator',
      lastEnd: { text: 'asked to stop by SIGINT' },
      cash: '5000.25',
      state: { trading: 'active' },
      frozen: [{ symbol: 'AAPL', why: 'three orders failed' }],
    });
  });

  test('of a folder without its config shows the strategies of the journal, and no limits of another config', async () => {
    const allocated = (strategyId: string): JournalEvent => ({
      kind: 'allocated',
      strategyId,
      amount: parseCash('1000'),
    });
    state = emulated([allocated('mine'), ENDED]);
    const status = statusSchema.parse(JSON.parse((await run('status', '--json')).out));
    expect(status).toMatchObject({ limits: [], configUnknown: true });
    expect(status.strategies.map(({ id, stopped }) => [id, stopped])).toEqual([['mine', null]]);
    const { out } = await run('status');
    expect(out).toMatch(/^limits +not in the journal: name the config of the run with --config FILE$/m);
    expect(out).not.toMatch(/orderNotional|savings-plan|stopped/);
    const named = await run('status', '--config', 'config/emulator.yaml', '--json');
    const told = statusSchema.parse(JSON.parse(named.out));
    expect(told.limits.map(({ name }) => name)).toContain('orderNotional');
    expect(told.configUnknown).toBeUndefined();
  });

  test('is a screen of at most 80 characters a line, with the command that helps', async () => {
    const { code, out } = await run('status');
    expect(code).toBe(0);
    expect(out).toMatch(/^state +NOT RUNNING since .*asked to stop by SIGINT/);
    expect(out).toContain(`drover unfreeze AAPL --reason TEXT --state ${state}`);
    expect(out).not.toContain('\u001b');
  });
});

describe('a steering command without a daemon', () => {
  test('pause writes the halt into the journal for the next run', async () => {
    const paused = await run('pause', '--json', '--reason', 'the news');
    expect([paused.code, JSON.parse(paused.out)]).toEqual([
      0,
      { state: 'halted', cancelled: 0, sold: 0, left: [] },
    ]);
    expect(booksIn(state).trading.ofRun).toMatchObject({ state: 'halted', reason: 'the news' });
  });

  test('pause replaces a reduce, and reduce does not loosen a pause', async () => {
    expect((await run('reduce')).code).toBe(0);
    expect(booksIn(state).trading.ofRun).toMatchObject({ state: 'reducing', reason: 'by hand' });
    expect((await run('pause')).code).toBe(0);
    expect((await run('reduce')).code).toBe(4);
    expect(booksIn(state).trading.ofRun).toMatchObject({ state: 'halted' });
  });

  test('pause --symbol halts that stock only', async () => {
    const { code, out } = await run('pause', '--symbol', 'aapl');
    expect([code, out]).toEqual([0, expect.stringContaining('trading of AAPL is halted')]);
    expect(booksIn(state).trading.ofRun).toBeNull();
  });

  test('a second pause says since when trading is halted, and replaces the reason', async () => {
    expect((await run('pause', '--reason', 'the news')).code).toBe(0);
    const { since } = booksIn(state).trading.ofRun ?? {};
    const { code, out } = await run('pause', '--reason', 'again');
    expect([code, out]).toEqual([
      0,
      expect.stringMatching(/trading of everything is halted already, since 20.*Z, by .*: the news/),
    ]);
    expect(booksIn(state).trading.ofRun).toMatchObject({ since, reason: 'again' });
  });

  test('pause on the temporary folder of an ended run says that nothing runs there any more', async () => {
    const temporary = mkdtempSync(join(tmpdir(), 'drover-run-'));
    cpSync(state, temporary, { recursive: true });
    markTemporaryState(temporary);
    const { code, out } = await drover(['pause', '--state', temporary], { env });
    expect([code, out]).toEqual([0, expect.stringMatching(/nothing runs there any more/)]);
    expect((await run('pause')).out).not.toContain('any more');
  });

  test('halt acts like pause, needs no reason, and keeps its JSON fields', async () => {
    const { code, out } = await run('halt', '--json', '--reason', 'the news');
    expect([code, JSON.parse(out)]).toEqual([
      0,
      { state: 'halted', cancelled: 0, sold: 0, left: [], reason: 'the news', halted: true },
    ]);
    expect(JSON.parse((await run('halt', '--json')).out)).toMatchObject({ reason: 'by hand', halted: true });
  });

  test('pause and halt name the held orders that are not watched', async () => {
    const armed = emulated([...SYNTHETIC_EVENTS.syntheticPlaced.slice(0, 1), ENDED]);
    const given = (...argv: string[]) => drover([...argv, '--state', armed], { env });
    const { code, out, err } = await given('pause', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { state: 'halted', unwatched: ['alpha-2'] }]);
    expect(err).toBe(
      'nobody watches 1 order while no run is active, because the bot holds it, not the venue; the next run sends nothing for it ' +
        'until the halt ends:\n  stop at 1 of all AAPL (told) of alpha (alpha-2): waits for its time\n',
    );
    expect((await given('halt', '--reason', 'the news')).err).toContain('(alpha-2)');
    expect((await given('pause', '--strategy', 'beta')).err).not.toContain('nobody watches');
    expect((await given('reduce')).err).not.toContain('nobody watches');
  });

  test('freeze writes into the journal', async () => {
    const other = emulated([]);
    const { code } = await drover(['freeze', 'AAPL', '--reason', 'a rumour', '--state', other], { env });
    expect([code, booksIn(other).frozen.get(ticker('AAPL'))]).toEqual([
      0,
      expect.stringContaining('a rumour'),
    ]);
  });

  test.each([
    ['cancel', /no run is active in .*Nothing was cancelled.*drover orders cancel ID/],
    ['flatten', /no run is active in .*Nothing was sent.*Start the run and repeat/],
    ['stop', /no run is active in .*, so/],
  ])('%s needs a run, changes nothing and says what to do', async (command, message) => {
    const before = booksIn(state).commands.all.length;
    const { code, out, err } = await run(command, '--yes');
    expect([code, out, err]).toEqual([2, '', expect.stringMatching(message)]);
    expect(booksIn(state).commands.all).toHaveLength(before);
  });
});

describe('a daemon that holds the state folder and does not respond', () => {
  let release: () => void;
  beforeEach(() => {
    release = holdNamed({ folder: state, name: 'lock', what: 'the state', holder: 'drover run (process 7)' });
  });
  afterEach(() => release());

  test.each([
    ['status'],
    ['reduce'],
    ['cancel'],
    ['flatten', '--yes'],
    ['resolve', 'a-1', '--reason', 'x', '--yes'],
    ['accept', 'mUSD', '--reason', 'x', '--yes'],
    ['pause', '--symbol', 'AAPL'],
  ])('does not get %s: the command is refused and nothing is sent', async (...argv) => {
    const { code, out, err } = await run(...argv);
    expect([code, out]).toEqual([4, '']);
    expect(err).toContain('held by drover run (process 7)');
  });

  test('is stopped by pause with a kill file', async () => {
    const { code, out } = await run('pause', '--reason', 'it hangs', '--json');
    expect([code, JSON.parse(out)]).toMatchObject([0, { halted: true, reason: 'it hangs' }]);
    expect(existsSync(join(state, 'KILL'))).toBe(true);
  });
});
