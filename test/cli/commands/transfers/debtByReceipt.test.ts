import { afterEach, beforeEach, expect, test } from 'vitest';
import { accountOf, startEmulated, type Emulated } from '../../support/emulated.ts';
import { emptyState } from '../../support/stateFolder.ts';

let venue: Emulated;
let state: string;
beforeEach(async () => {
  venue = await startEmulated(75);
  state = emptyState();
});
afterEach(() => venue.close());

const fault = (rule: object) => venue.control('/faults', { rules: [{ times: 1, ...rule }] });

test('an order whose transaction is never mined is given up, and the next run looks for it', async () => {
  const account = accountOf(venue, 'one-click', { rpcUrl: null });
  await fault({ kind: 'unmined', endpoint: 'POST /api/v1/orders/send' });
  const buy = ['orders', 'place', 'AAPL', 'buy', '--market', '--notional', '80', '--yes', '--state', state];
  const { code, out, err } = await account.run(buy);
  expect([code, out], err).toEqual([3, '']);
  expect(err).toMatch(/hand-1.1 has no answer, and the venue does not show it.*The next run looks for it/);
});

test('a repayment that reverts ends with exit 1, and its row says so', async () => {
  const { run } = accountOf(venue, 'one-click');
  const sell = ['orders', 'place', 'AAPL', 'sell', '--market', '--quantity', '1', '--deferred', '--yes'];
  const sold = await run([...sell, '--state', state]);
  expect(sold, sold.err).toMatchObject({ code: 0 });
  await fault({ kind: 'revert', cause: 'paused', endpoint: 'POST /api/v1/deferred-sell/repay/send' });
  const { code, out } = await run(['debt', 'repay', 'AAPL', '1', '--yes', '--state', state]);
  expect([code, JSON.parse(out)]).toMatchObject([1, { operation: 'repay', status: 'failed', owed: '1' }]);
});
