import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createVenueClient, type VenueClient } from '../../../src/api/client.ts';
import { cash as asCash, parseCash } from '../../../src/core/amount.ts';
import { createVenue } from '../../../src/api/venue.ts';
import { holdNamed } from '../../../src/cli/environment/locks.ts';
import { journalFile } from '../../../src/cli/environment/ownership.ts';
import type { JournalEvent } from '../../../src/domain/journalEvent.ts';
import { openSqliteJournal } from '../../../src/store/sqliteJournal.ts';
import { accountOf, startEmulated, type Emulated } from '../support/emulated.ts';
import { booksIn, emptyState, entriesIn } from '../support/stateFolder.ts';

let venue: Emulated;
let client: VenueClient;
let account: ReturnType<typeof accountOf>;
let state: string;

beforeAll(async () => {
  venue = await startEmulated(76);
  account = accountOf(venue, 'one-click');
  const { baseUrl, chainId, product, accounts } = venue.info;
  const own = accounts.find(({ userAddress }) => userAddress === account.user);
  const key = own?.keys.find(({ access }) => access === 'WRITABLE');
  const keys = { apiKey: key?.apiKey ?? '', secret: key?.secret ?? '' };
  client = createVenueClient({ baseUrl, chainId, product, clock: venue.clock, ...keys });
  for (const token of ['USDC', 'AAPL'])
    expect((await account.run(['wallet', 'approve', token, '5000', '--yes'])).code).toBe(0);
}, 60_000);
afterAll(async () => {
  await client.close();
  await venue.close();
});
beforeEach(async () => {
  await venue.control('/faults', { rules: [] });
  state = emptyState();
  commit(await opening());
});

/** Balances that a run that started now would take into its ledger. */
async function opening(): Promise<JournalEvent[]> {
  const port = createVenue(client, { userAddress: account.user });
  const [{ cash, holdings, tokens = new Map() }, debts] = [await port.account(), await port.debts()];
  const at = (place: 'exchange' | 'wallet') =>
    [...holdings].map(([symbol, amounts]) => [symbol, amounts[place]] as const);
  return [
    { kind: 'epoch', epoch: 1 },
    { kind: 'opened', cash, equity: cash, holdings: at('exchange') },
    { kind: 'walletOpened', tokens: [...tokens], stocks: at('wallet') },
    { kind: 'debtsOpened', debts: [...debts] },
  ];
}

function commit(facts: readonly JournalEvent[]): void {
  const journal = openSqliteJournal(journalFile(state));
  journal.commit(facts.map((fact) => ({ at: venue.clock.now(), fact })));
  journal.close();
}

const by = (...argv: string[]) => account.run([...argv, '--state', state, '--yes']);
const differences = async () => {
  const { out, err } = await account.run(['reconcile', '--state', state]);
  if (out === '') throw new Error(err);
  return (JSON.parse(out) as { differences: string[] }).differences;
};
const transfers = () => [...booksIn(state).transfers.all.values()];

test('transfers by hand without a run are of its journal, with who and why, and no difference', async () => {
  for (const [kind, argv] of [
    ['cashDeposit', ['cash', 'deposit', '100', '--reason', 'more to invest']],
    ['cashWithdrawal', ['cash', 'withdraw', '40']],
    ['stockWithdrawal', ['stock', 'withdraw', 'AAPL', '1']],
    ['stockDeposit', ['stock', 'deposit', 'AAPL', '0.5']],
  ] as const) {
    const { code, err } = await by(...argv);
    expect([code, err]).toMatchObject([0, expect.stringMatching(/sent: 0x/)]);
    expect(transfers().at(-1)).toMatchObject({ terms: { kind }, state: { kind: 'settled' } });
    expect(await differences()).toEqual([]);
  }
  const words = [...booksIn(state).commands.all].map(({ request }) => request.reason);
  expect(words).toEqual(['more to invest', 'by hand', 'by hand', 'by hand']);
}, 60_000);

test('what is not known to have ended is looked for, and not sent again', async () => {
  await venue.control('/faults', {
    rules: [{ kind: 'lost-response', endpoint: 'POST /api/v1/cash/deposits/send' }],
  });
  expect(await by('cash', 'deposit', '125', '--no-wait')).toMatchObject({
    code: 3,
    err: expect.stringMatching(/may or may not have it/) as string,
  });
  expect(transfers()).toMatchObject([{ state: { kind: 'unknown' } }]);
  expect(await by('cash', 'deposit', '125')).toMatchObject({
    code: 4,
    err: expect.stringMatching(/\(op-1\) is unknown by the journal.*Nothing was sent/s) as string,
  });
  expect(transfers()).toHaveLength(1);
  await venue.control('/faults', { rules: [] });
  await venue.later(60_000);
  expect(await by('cash', 'deposit', '126')).toMatchObject({ code: 0 });
  expect(transfers()).toMatchObject([{ state: { kind: 'settled' } }, { state: { kind: 'settled' } }]);
  expect(await differences()).toEqual([]);
}, 60_000);

test('money of a strategy is not withdrawn, and nothing is written', async () => {
  const { cash } = await createVenue(client, { userAddress: account.user }).account();
  const amount = asCash(cash - parseCash('10'));
  commit([{ kind: 'allocated', strategyId: 'one', amount }]);
  const before = entriesIn(state);
  expect(await by('cash', 'withdraw', '11')).toMatchObject({
    code: 4,
    err: expect.stringMatching(
      /11 mUSD to withdraw, 10 unallocated.*strategy one.*Nothing was sent/s,
    ) as string,
  });
  expect(entriesIn(state)).toEqual(before);
});

test('a process that holds the folder and does not answer: exit 4, and nothing is sent', async () => {
  const release = holdNamed({ folder: state, name: 'lock', what: 'the state folder', holder: 'drover run' });
  try {
    const before = entriesIn(state);
    for (const argv of [
      ['cash', 'deposit', '1'],
      ['orders', 'place', 'AAPL', 'buy', '--market', '--notional', '10'],
    ])
      expect(await by(...argv)).toMatchObject({
        code: 4,
        out: '',
        err: expect.stringMatching(/drover run/) as string,
      });
    expect(entriesIn(state)).toEqual(before);
  } finally {
    release();
  }
});
