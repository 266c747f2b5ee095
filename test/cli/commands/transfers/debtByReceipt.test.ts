import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { accountOf, startEmulated, type Emulated } from '../../support/emulated.ts';

let venue: Emulated;
let run: ReturnType<typeof accountOf>['run'];
beforeAll(async () => {
  venue = await startEmulated(75);
  ({ run } = accountOf(venue, 'one-click'));
});
afterAll(() => venue.close());
afterEach(() => venue.control('/faults', { rules: [] }));

const fault = (rule: object) => venue.control('/faults', { rules: [{ times: 1, ...rule }] });
const buy = (notional: string) => [
  'orders',
  'place',
  'AAPL',
  'buy',
  '--market',
  '--notional',
  notional,
  '--yes',
];

type Mistaken = Readonly<{ what: string; before: string[]; argv: string[]; endpoint: string; told: RegExp }>;
const deposit = (amount: string) => ['cash', 'deposit', amount, '--yes'];

test.each<Mistaken>([
  {
    what: 'an order on other terms',
    before: buy('50'),
    argv: buy('60'),
    endpoint: '/orders/send',
    told: /an order Buy 50.00 mUSD AAPL of 2026-/,
  },
  {
    what: 'an order from before',
    before: buy('70'),
    argv: buy('70'),
    endpoint: '/orders/send',
    told: /an order Buy 70.00 mUSD AAPL/,
  },
  {
    what: 'a deposit of another amount',
    before: deposit('100'),
    argv: deposit('110'),
    endpoint: '/cash/deposits/send',
    told: /a deposit 100 0x\w+ of 2026-/,
  },
])('$what is not taken for the result of a send', async ({ before, argv, endpoint, told }) => {
  expect((await run(['wallet', 'approve', 'USDC', '5000', '--yes'])).code).toBe(0);
  expect((await run(before)).code).toBe(0);
  await venue.later(30_000);
  await fault({ kind: 'other-hash', endpoint: `POST /api/v1${endpoint}` });
  const { code, out, err } = await run(argv);
  expect([code, out]).toEqual([3, '']);
  expect(err).toMatch(told);
  expect(err).toMatch(
    /What became of this one is unknown\. Check with `drover \w+ list --config account\.yaml` and `drover balance --config account\.yaml`/,
  );
});

test.each([
  [undefined, /, and the chain has no trace of it/],
  [null, /shows nothing of 0x\w+: it may/],
] as const)(
  'an order whose transaction is never mined is given up a minute after its deadline',
  async (rpcUrl, told) => {
    const account = accountOf(venue, 'one-click', rpcUrl === null ? { rpcUrl } : {});
    await fault({ kind: 'unmined', endpoint: 'POST /api/v1/orders/send' });
    const { code, out, err } = await account.run(buy('80'));
    expect([code, out]).toEqual([3, '']);
    expect(err).toMatch(told);
    expect(err).toContain('do not send it again before you know');
  },
);

test('a repayment ends by its receipt where a node is configured', async () => {
  const sell = ['orders', 'place', 'AAPL', 'sell', '--market', '--quantity', '1', '--deferred', '--yes'];
  const repay = ['debt', 'repay', 'AAPL', '1', '--yes'];
  expect((await run(sell)).code).toBe(0);
  await venue.control('/faults', {
    rules: [
      { kind: 'revert', cause: 'paused', endpoint: 'POST /api/v1/deferred-sell/repay/send', times: 1 },
      { kind: 'edit', endpoint: 'GET /api/v1/deferred-sell/debts', path: 'data', value: [], after: 1 },
    ],
  });
  const { code, out } = await run(repay);
  expect([code, JSON.parse(out)]).toMatchObject([1, { status: 'reverted: paused' }]);
});
