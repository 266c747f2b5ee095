import { expect, test } from 'vitest';
import { SENT } from '../../../domain/orders.ts';
import { link, startOneUser, user as wallet } from '../../support/oneUser.ts';
import { booksIn, stateSaying } from '../../support/stateFolder.ts';

const hash = (digit: string) => `0x${digit.repeat(64)}`;

const openBuy = (digit: string) => ({
  ...link(SENT / 1000),
  txHash: hash(digit),
  status: 'Open',
  openOrder: {
    orderId: hash(digit),
    userAddress: wallet,
    side: 'Buy',
    type: 'Limit',
    tif: 'DAY',
    symbol: 'AAPL',
    placeQuantity: '5',
    placePrice: '200',
    pay: '100',
    status: 'placing',
  },
});

test('orders accept takes external orders by their hash, with a reason that the journal keeps', async () => {
  const drover = await startOneUser();
  drover.writeConfig('', { mode: 'live' });
  drover.answers['GET /api/v1/orders'] = () => ({ total: 2, rows: [openBuy('a'), openBuy('b')] });
  const state = stateSaying([]);
  const accept = (...argv: string[]) => drover.run('orders', 'accept', ...argv, '--state', state);

  expect(await accept(hash('a'))).toMatchObject({
    code: 2,
    err: expect.stringContaining('--reason') as string,
  });
  const unknown = await accept(hash('c'), '--reason', 'mine');
  expect([unknown.code, unknown.err]).toEqual([2, expect.stringContaining(`${hash('a')}, ${hash('b')} do`)]);
  expect([...booksIn(state).externals.unaccepted.keys()]).toEqual([hash('a'), hash('b')]);

  const one = await accept(hash('a'), '--reason', 'placed by hand');
  expect([one.code, one.out]).toEqual([
    0,
    expect.stringContaining(`accepted: ${hash('a')} (buy AAPL, open)`),
  ]);
  expect([...booksIn(state).externals.unaccepted.keys()]).toEqual([hash('b')]);
  const shown = await drover.run('journal', 'show', '--kind', 'externalAccepted', '--state', state);
  expect(shown.out).toContain('placed by hand');
  expect((await accept(hash('a'), hash('b'), '--reason', 'again')).code).toBe(2);
  expect((await accept(hash('b').toUpperCase().replace('0X', '0x'), '--reason', 'too', '--json')).code).toBe(
    0,
  );
  expect(booksIn(state).externals.unaccepted.size).toBe(0);
  await drover.venue.close();
});
