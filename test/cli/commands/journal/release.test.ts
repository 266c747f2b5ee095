import { expect, test } from 'vitest';
import { parseCash, parsePrice, parseShares } from '../../../../src/core/amount.ts';
import { epochMs } from '../../../../src/core/brand.ts';
import type { JournalEvent } from '../../../../src/domain/journalEvent.ts';
import { ticker } from '../../../../src/domain/instrument.ts';
import { SENT } from '../../../domain/orders.ts';
import { link, startOneUser, user as wallet } from '../../support/oneUser.ts';
import { booksIn, entriesIn, stateSaying } from '../../support/stateFolder.ts';

const AAPL = ticker('AAPL');

/** AAPL is frozen and trading halted; the ledger has `held` AAPL, none of them alpha's. The venue has 2.5. */
const stateWith = (held: string, more: readonly JournalEvent[] = []): string =>
  stateSaying(
    [
      { kind: 'allocated', strategyId: 'alpha', amount: parseCash('2000') },
      { kind: 'frozen', symbol: AAPL, why: 'ledger and venue differ' },
      { kind: 'halted', why: 'a test' },
      ...more,
    ],
    { held },
  );

/** An open buy of AAPL unknown to this journal, with its lock. */
const foreignBuy = (digit: string, pay: string, status = 'placing') => ({
  ...link(SENT / 1000),
  txHash: `0x${digit.repeat(64)}`,
  status: 'Open',
  openOrder: {
    orderId: `0x${digit.repeat(64)}`,
    userAddress: wallet,
    side: 'Buy',
    type: 'Limit',
    tif: 'DAY',
    symbol: 'AAPL',
    placeQuantity: '5',
    placePrice: '200',
    pay,
    status,
  },
});

async function user() {
  const found = await startOneUser();
  found.answers['GET /api/v1/orders'] = () => ({ total: 0, rows: [] });
  found.writeConfig('', { mode: 'live' });
  return found;
}

test('release and resume lift a freeze and a halt when ledger and venue agree', async () => {
  const drover = await user();
  const state = stateWith('2.5');
  const done = await drover.run('release', 'aapl', '--reason', 'looked at it', '--state', state, '--json');
  expect(done.err).toBe('');
  expect(JSON.parse(done.out)).toEqual({
    symbol: 'AAPL',
    why: 'ledger and venue differ',
    shown: null,
    reason: 'looked at it',
    released: true,
  });
  expect((await drover.run('resume', '--reason', 'all is well', '--state', state)).code).toBe(0);
  expect([booksIn(state).frozen.size, booksIn(state).trading.ofRun]).toEqual([0, null]);
  expect((await drover.run('release', 'AAPL', '--reason', 'again', '--state', state)).code).toBe(2);
  expect(drover.sent().every((line) => line.startsWith('GET '))).toBe(true);
});

test('commands without a run are journaled like those through a daemon, including refusals, but not displays', async () => {
  const drover = await user();
  const state = stateWith('4');
  const kinds = () => entriesIn(state).map(({ fact }) => fact.kind);
  const before = kinds();
  expect((await drover.run('adopt', 'AAPL', '--reason', 'a look', '--state', state)).code).toBe(0);
  expect(kinds()).toEqual(before);
  expect((await drover.run('release', 'AAPL', '--reason', 'hope', '--state', state)).code).toBe(4);
  const refused = kinds();
  expect([refused.at(before.length), refused.at(before.length + 1), refused.at(-1)]).toEqual([
    'epoch',
    'operator',
    'operatorAnswered',
  ]);
  expect((await drover.run('adopt', 'AAPL', '--reason', 'sold', '--yes', '--state', state)).code).toBe(0);
  const added = kinds().slice(refused.length);
  expect([added[0], added[1], ...added.slice(-2)]).toEqual([
    'epoch',
    'operator',
    'balanceAccepted',
    'operatorAnswered',
  ]);
});

test('a second halt changes nothing and shows the first reason', async () => {
  const drover = await user();
  const state = stateWith('2.5');
  expect((await drover.run('resume', '--reason', 'all is well', '--state', state)).code).toBe(0);
  const halt = ['halt', '--reason', 'to look around', '--state', state];
  const done = await drover.run(...halt, '--json');
  expect(JSON.parse(done.out)).toMatchObject({ reason: 'to look around', halted: true });
  expect(booksIn(state).trading.ofRun?.reason).toBe('to look around');
  const again = await drover.run(...halt);
  expect([again.code, again.out]).toEqual([
    0,
    expect.stringMatching(/halted already, since .*: to look around/),
  ]);
});

const TOKENS = 'A cash token of the wallet goes by its address';

test('accept of an asset that neither ledger nor venue knows says so', async () => {
  const drover = await user();
  const state = stateWith('2.5');
  const adopt = async (asset: string) => {
    const { code, err } = await drover.run('adopt', asset, '--reason', 'z', '--yes', '--state', state);
    expect(code).toBe(2);
    return err;
  };
  expect(await adopt('FOOBAR')).toBe(`drover: neither ledger nor venue knows FOOBAR. ${TOKENS}\n`);
  expect(await adopt('aapx')).toBe(
    `drover: neither ledger nor venue knows AAPX. Did you mean AAPL? ${TOKENS}\n`,
  );
  for (const known of ['AAPL', 'SPY', 'mUSD'])
    expect(await adopt(known)).toBe(`drover: ledger and venue agree on ${known}\n`);
});

test("release is refused while ledger and venue differ, until the venue's amount is accepted", async () => {
  const drover = await user();
  const state = stateWith('4');
  const refused = await drover.run('release', 'AAPL', '--reason', 'hope', '--state', state);
  expect([refused.code, refused.err.includes('4 in the ledger, 2.5 at the venue')]).toEqual([4, true]);
  expect((await drover.run('resume', '--reason', 'hope', '--state', state)).code).toBe(4);
  const adopt = ['adopt', 'AAPL', '--reason', 'sold by hand', '--state', state];
  expect((await drover.run(...adopt)).out).toContain('repeat with --yes');
  expect(booksIn(state).ledger.total(AAPL)).toBe(parseShares('4'));
  expect((await drover.run(...adopt, '--for', 'alpha', '--yes')).code).toBe(2);
  const accepted = await drover.run(...adopt, '--yes');
  expect([accepted.code, accepted.out.trimEnd().split('\n').at(-1)]).toEqual([0, 'accepted']);
  expect(booksIn(state).ledger.total(AAPL)).toBe(parseShares('2.5'));
  expect((await drover.run('release', 'AAPL', '--reason', 'settled', '--state', state)).code).toBe(0);
  expect(booksIn(state).frozen.size).toBe(0);
});

test('accept refuses an amount that external open orders lock, and names them and the remedy', async () => {
  const drover = await user();
  const state = stateWith('2.5');
  const orders = { rows: [foreignBuy('a', '1001.1'), foreignBuy('b', '300', 'a new word')] };
  drover.answers['GET /api/v1/orders'] = () => ({ total: orders.rows.length, ...orders });
  drover.answers[`GET /api/v1/users/${wallet}/balance`] = () => ({
    chainId: 143,
    productType: 'ProductA',
    address: wallet,
    mUsdBalance: '4000',
    tokenBalances: [],
  });
  const adopt = ['adopt', 'mUSD', '--reason', 'what is there', '--yes', '--state', state];
  const refused = await drover.run(...adopt);
  expect([refused.code, booksIn(state).ledger.total('mUSD')]).toEqual([4, parseCash('5000.25')]);
  expect(refused.err).toBe(`drover: nothing was accepted: external open orders lock mUSD, which is not gone:
  0x${'a'.repeat(64)} (buy AAPL): 1001.1 mUSD
  0x${'b'.repeat(64)} (buy AAPL): 300 mUSD
Cancel them (\`drover orders cancel TX --config my.yaml --state ${state}\`) or wait for their end, at the close at the latest
`);
  orders.rows = [];
  expect((await drover.run(...adopt)).code).toBe(0);
  expect(booksIn(state).ledger.total('mUSD')).toBe(parseCash('4000'));
});

/** An open buy of another program for 300 mUSD, as a run has recorded it. */
const recorded = (digit: string): JournalEvent => ({
  kind: 'external',
  txHash: `0x${digit.repeat(64)}`,
  why: 'open',
  report: {
    txHash: `0x${digit.repeat(64)}`,
    orderId: `0x${digit.repeat(64)}`,
    createdAt: epochMs(SENT),
    status: 'open',
    rawStatus: 'placing',
    locked: parseCash('300'),
    settlement: null,
    terms: {
      symbol: AAPL,
      side: 'buy',
      type: 'limit',
      notional: null,
      quantity: parseShares('3'),
      price: parsePrice('100'),
    },
  },
});

test('accept ends external orders that the venue no longer shows, and adds no cash for their locks', async () => {
  const drover = await user();
  const state = stateWith('2.5', [recorded('a'), recorded('b')]);
  const adopt = ['adopt', 'mUSD', '--reason', 'the venue never had them', '--state', state];
  const shown = await drover.run(...adopt);
  expect([shown.code, shown.err, shown.out]).toEqual([
    0,
    '',
    `mUSD: 4400.25 in the ledger, 5000.25 at the venue
the ledger counts mUSD as locked by 2 external orders that the venue no longer shows: that lock ends, and only the rest is accepted
nothing was changed: repeat with --yes to accept what the venue has
`,
  ]);
  const done = await drover.run(...adopt, '--yes', '--json');
  expect(JSON.parse(done.out)).toMatchObject({ asset: 'mUSD', adoptions: [], adopted: true, unshown: 2 });
  expect(booksIn(state).ledger.total('mUSD')).toBe(parseCash('5000.25'));
  expect((await drover.run(...adopt, '--yes')).err).toContain('ledger and venue agree on mUSD');
});

test("accept takes the venue's amount if vanished external orders locked less than the missing amount", async () => {
  const drover = await user();
  const state = stateWith('2.5', [recorded('a')]);
  drover.answers[`GET /api/v1/users/${wallet}/balance`] = () => ({
    chainId: 143,
    productType: 'ProductA',
    address: wallet,
    mUsdBalance: '4990',
    tokenBalances: [],
  });
  const adopt = ['adopt', 'mUSD', '--reason', 'a fee', '--yes', '--state', state];
  expect((await drover.run(...adopt)).code).toBe(0);
  expect(booksIn(state).ledger.total('mUSD')).toBe(parseCash('4990'));
});

test('accept takes a loss, and leaves open an external order that cannot explain it', async () => {
  const drover = await user();
  const state = stateWith('2.5', [recorded('a')]);
  drover.answers[`GET /api/v1/users/${wallet}/balance`] = () => ({
    chainId: 143,
    productType: 'ProductA',
    address: wallet,
    mUsdBalance: '4690.25',
    tokenBalances: [],
  });
  const done = await drover.run('adopt', 'mUSD', '--reason', 'a fee', '--yes', '--state', state, '--json');
  expect(JSON.parse(done.out)).toMatchObject({ adoptions: [{ amount: '-10' }] });
  expect(booksIn(state).external.get(`0x${'a'.repeat(64)}`)?.report?.status).toBe('open');
});

test('journal recover is refused while an external open order locks cash', async () => {
  const drover = await user();
  const state = stateWith('2.5');
  drover.answers['GET /api/v1/orders'] = () => ({ total: 1, rows: [foreignBuy('a', '1001.1')] });
  const recover = ['journal', 'recover', '--state', state];
  const shown = await drover.run(...recover);
  expect([shown.code, shown.out.includes('The balances lack what these orders lock')]).toEqual([0, true]);
  const refused = await drover.run(...recover, '--yes');
  expect([refused.code, refused.err.includes(`0x${'a'.repeat(64)} (buy AAPL): 1001.1 mUSD`)]).toEqual([
    4,
    true,
  ]);
  expect(booksIn(state).frozen.size).toBe(1);
  // A link without an order may stay forever; it locks nothing that the venue reports.
  drover.answers['GET /api/v1/orders'] = () => ({
    total: 1,
    rows: [{ ...link(SENT / 1000), status: 'Pending' }],
  });
  expect((await drover.run(...recover, '--yes')).code).toBe(0);
  expect(booksIn(state).frozen.size).toBe(0);
});

test.each([['halt'], ['resume'], ['release', 'AAPL'], ['adopt', 'mUSD']])(
  '%s refuses an empty reason',
  async (...command) => {
    const drover = await user();
    const state = stateWith('2.5');
    for (const empty of ['', ' \t']) {
      const { code, err } = await drover.run(...command, '--reason', empty, '--state', state);
      expect([code, err]).toEqual([2, expect.stringContaining('Give a reason: the journal keeps it')]);
    }
    expect(drover.sent()).toEqual([]);
  },
);
