import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { cash as asCash, parseCash } from '../../../src/core/amount.ts';
import { holdNamed } from '../../../src/app/environment/locks.ts';
import { startClosedRun, type ClosedRun } from '../../cli/support/closedRun.ts';
import { booksIn, entriesIn } from '../../cli/support/stateFolder.ts';

let run: ClosedRun;

beforeAll(async () => {
  run = await startClosedRun(76);
  for (const token of ['USDC', 'AAPL'])
    expect((await run.account.run(['wallet', 'approve', token, '5000', '--yes'])).code).toBe(0);
}, 60_000);
afterAll(() => run.close());
beforeEach(() => run.begin());

const by = (...argv: string[]) => run.by(...argv);
const transfers = () => [...booksIn(run.state).transfers.all.values()];

test('manual transfers without a run are journaled with who and why, and leave no difference', async () => {
  for (const [kind, argv] of [
    ['cashDeposit', ['cash', 'deposit', '100', '--reason', 'more to invest']],
    ['cashWithdrawal', ['cash', 'withdraw', '40']],
    ['stockWithdrawal', ['stock', 'withdraw', 'AAPL', '1']],
    ['stockDeposit', ['stock', 'deposit', 'AAPL', '0.5']],
  ] as const) {
    const { code, err } = await by(...argv);
    expect([code, err]).toMatchObject([0, expect.stringMatching(/sent: 0x/)]);
    expect(transfers().at(-1)).toMatchObject({ terms: { kind }, state: { kind: 'settled' } });
    expect(await run.differences()).toEqual([]);
  }
  const words = [...booksIn(run.state).commands.all].map(({ request }) => request.reason);
  expect(words).toEqual(['more to invest', 'by hand', 'by hand', 'by hand']);
}, 60_000);

test('a transfer without a known end is looked for by the next command, and not sent again', async () => {
  await run.venue.control('/faults', {
    rules: [{ kind: 'lost-response', endpoint: 'POST /api/v1/cash/deposits/send' }],
  });
  expect(await by('cash', 'deposit', '125', '--no-wait')).toMatchObject({
    code: 3,
    err: expect.stringMatching(/may or may not have it/) as string,
  });
  expect(transfers()).toMatchObject([{ state: { kind: 'unknown' } }]);
  expect(await by('cash', 'deposit', '125')).toMatchObject({
    code: 4,
    err: expect.stringMatching(/another transfer of it is under way.*Nothing was sent/s) as string,
  });
  expect(transfers()).toHaveLength(1);
  await run.venue.control('/faults', { rules: [] });
  await run.venue.later(60_000);
  expect(await by('cash', 'deposit', '126')).toMatchObject({ code: 0 });
  expect(transfers()).toMatchObject([{ state: { kind: 'settled' } }, { state: { kind: 'settled' } }]);
  expect(await run.differences()).toEqual([]);
}, 60_000);

test('cash of a strategy is not withdrawn, and nothing is planned', async () => {
  const { cash } = await run.port.account();
  const amount = asCash(cash - parseCash('10'));
  run.commit({ kind: 'allocated', strategyId: 'one', amount });
  expect(await by('cash', 'withdraw', '11')).toMatchObject({
    code: 4,
    err: expect.stringMatching(
      /11 mUSD to withdraw, 10 unallocated.*strategy one.*Nothing was sent/s,
    ) as string,
  });
  expect(transfers()).toEqual([]);
});

test('manual commands end with exit 4 and send nothing while a silent process holds the folder', async () => {
  const release = holdNamed({
    folder: run.state,
    name: 'lock',
    what: 'the state folder',
    holder: 'drover run',
  });
  try {
    const before = entriesIn(run.state);
    for (const argv of [
      ['cash', 'deposit', '1'],
      ['orders', 'place', 'AAPL', 'buy', '--market', '--notional', '10'],
    ])
      expect(await by(...argv)).toMatchObject({
        code: 4,
        out: '',
        err: expect.stringMatching(/drover run/) as string,
      });
    expect(entriesIn(run.state)).toEqual(before);
  } finally {
    release();
  }
});
