import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { journalFile } from '../../../../src/app/environment/ownership.ts';
import { parseCash, parseShares } from '../../../../src/core/amount.ts';
import type { JournalEvent } from '../../../../src/domain/journalEvent.ts';
import { ticker } from '../../../../src/domain/instrument.ts';
import { openSqliteJournal } from '../../../../src/store/sqliteJournal.ts';
import { SENT } from '../../../domain/orders.ts';
import { drover, typing } from '../../support/commandLine.ts';
import { aapl, cwd, delegatee, env, listing, spy, startOneUser } from '../../support/oneUser.ts';
import { booksIn, stateSaying } from '../../support/stateFolder.ts';

const AAPL = ticker('AAPL');
const moved = `0x${'77'.repeat(20)}`;
const both = `address was ${aapl}, and the venue now says ${moved}`;

/** AAPL is pinned to the contract that it had. */
const pinnedState = (): string =>
  stateSaying([
    { kind: 'pinned', pins: [{ subject: 'stock AAPL', terms: { address: aapl, decimals: '18' } }] },
  ]);

let one: Awaited<ReturnType<typeof startOneUser>>;
let state: string;
beforeEach(async () => {
  one = await startOneUser();
  one.answers['GET /api/v1/orders'] = () => ({ total: 0, rows: [] });
  one.answers['GET /api/v1/symbols'] = () => [
    listing('AAPL', { contractAddress: moved }),
    listing('SPY', { contractAddress: spy }),
  ];
  state = pinnedState();
});
afterEach(() => one.venue.close());

const release = (...more: string[]) => [
  'release',
  'AAPL',
  '--reason',
  'told by the venue',
  '--state',
  state,
  ...more,
];

test('release refuses a symbol whose contract has changed, and shows both contracts', async () => {
  const { code, err } = await one.run(...release());
  expect([code, err]).toEqual([4, expect.stringContaining(both)]);
  expect(err).toContain('--accept-terms');
  expect(booksIn(state).pins.contractOf(AAPL)).toBe(aapl);
});

test('release --accept-terms takes the new contract over, with a reason and after a question', async () => {
  const argv = [...release('--accept-terms'), '--config', 'my.yaml'];
  expect((await drover(argv, { env, cwd })).code).toBe(2);
  expect((await drover(argv, { env, cwd, keyboard: typing('n') })).code).toBe(130);
  expect(booksIn(state).pins.contractOf(AAPL)).toBe(aapl);
  const done = await drover(argv, { env, cwd, keyboard: typing('y') });
  expect([done.code, done.err]).toEqual([0, expect.stringContaining(both)]);
  const accountState = booksIn(state);
  expect([accountState.pins.contractOf(AAPL), accountState.frozen.size]).toEqual([moved, 0]);
  expect((await one.run('journal', 'show', '--kind', 'pinned', '--state', state, '--json')).out).toContain(
    'told by the venue',
  );
});

test('release --accept-terms never takes over the contract of another stock', async () => {
  one.answers['GET /api/v1/symbols'] = () => [
    listing('AAPL', { contractAddress: spy }),
    listing('SPY', { contractAddress: spy }),
  ];
  const { code, err } = await one.run(...release('--accept-terms', '--yes'));
  expect([code, err]).toEqual([4, expect.stringContaining('that is the contract of SPY')]);
  expect(booksIn(state).pins.contractOf(AAPL)).toBe(aapl);
});

test.each([
  ['fees', 'fees', { buyMintFeeBps: '10' }, { buyMintFeeBps: '50' }],
  ['one-click', 'One Click', { delegatee: aapl }, { delegatee }],
  ['USDC', 'cash token USDC', { address: aapl, decimals: '6' }, { address: moved, decimals: '6' }],
] as const)(
  'release --accept-terms takes over new terms of %s',
  async (...[name, subject, pinned, terms]) => {
    const journal = openSqliteJournal(journalFile(state));
    for (const fact of [
      { kind: 'pinned', pins: [{ subject, terms: pinned }] },
      { kind: 'departed', subject, terms },
    ] as const)
      journal.commit([{ at: SENT, fact }]);
    journal.close();
    const argv = ['release', name, '--reason', 'told by the venue', '--state', state];
    expect((await one.run(...argv)).code).toBe(4);
    expect(booksIn(state).pins.of(subject)).toEqual(pinned);
    const done = await one.run(...argv, '--accept-terms', '--yes');
    expect(done).toMatchObject({ code: 0 });
    const { pins } = booksIn(state);
    expect([pins.of(subject), pins.departed(subject)]).toEqual([terms, undefined]);
  },
);

test('release --accept-terms takes over a cash token that is new at the venue', async () => {
  const terms = { address: moved, decimals: '6' };
  const journal = openSqliteJournal(journalFile(state));
  journal.commit([{ at: SENT, fact: { kind: 'departed', subject: 'cash token USDX', terms } }]);
  journal.close();
  const argv = ['release', 'USDX', '--reason', 'told by the venue', '--state', state];
  const refused = await one.run(...argv);
  expect([refused.code, refused.err]).toEqual([
    4,
    expect.stringContaining(`is new at the venue (address ${moved}`),
  ]);
  const done = await one.run(...argv, '--accept-terms', '--yes');
  expect([done.code, done.err]).toEqual([0, expect.stringContaining(moved)]);
  const { pins } = booksIn(state);
  expect([pins.of('cash token USDX'), pins.departed('cash token USDX')]).toEqual([terms, undefined]);
});

test('journal recover keeps the pins of the old journal, and freezes a stock whose contract changed', async () => {
  const done = await one.run('journal', 'recover', '--yes', '--state', state);
  expect(done.code).toBe(0);
  const { pins, frozen } = booksIn(state);
  expect([pins.contractOf(AAPL), frozen.get(AAPL)]).toEqual([aapl, both]);
});

test('two stocks with one contract stay frozen while the venue lists them so', async () => {
  const empty = mkdtempSync(join(tmpdir(), 'drover-'));
  const journal = openSqliteJournal(journalFile(empty));
  const amount = parseCash('5000.25');
  const opened: JournalEvent = {
    kind: 'opened',
    cash: amount,
    equity: amount,
    holdings: [[AAPL, parseShares('2.5')]],
  };
  journal.commit([{ kind: 'epoch', epoch: 1 } as const, opened].map((fact) => ({ at: SENT, fact })));
  journal.close();
  one.answers['GET /api/v1/symbols'] = () => [listing('AAPL'), listing('SPY')];
  const argv = ['release', 'AAPL', '--reason', 'hope', '--state', empty];
  const { code, err } = await one.run(...argv, '--accept-terms', '--yes');
  expect([code, err]).toEqual([4, expect.stringContaining('SPY has the same contract at the venue')]);
  one.answers['GET /api/v1/symbols'] = () => [listing('AAPL'), listing('SPY', { contractAddress: spy })];
  expect((await one.run(...argv)).code).toBe(0);
  expect((await one.run(...argv)).code).toBe(2);
});
