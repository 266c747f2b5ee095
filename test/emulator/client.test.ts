import { expect, test } from 'vitest';
import { createVenueClient, type VenueClient } from '../../src/api/client.ts';
import { createVenue } from '../../src/api/venue.ts';
import { parseCash, parsePrice, parseShares } from '../../src/core/amount.ts';
import { toSeconds } from '../../src/core/brand.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import type { OrderTerms, SendGate } from '../../src/domain/venue.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { openFront, openMachine, startEmulator } from '../../src/emulator/index.ts';
import { createInProcessTransport } from './http/inProcess.ts';
import { CHAIN_ID, PRODUCT } from '../../src/emulator/state/constants.ts';
import { START, stock } from './harness.ts';

const start = new Date(START).toISOString();
const terms: OrderTerms[] = [
  { type: 'market', side: 'buy', symbol: ticker('AAPL'), stock: stock('AAPL'), notional: parseCash('100') },
  {
    type: 'limit',
    side: 'sell',
    symbol: ticker('MSFT'),
    stock: stock('MSFT'),
    quantity: parseShares('2.5'),
    price: parsePrice('9000'),
  },
];

/** Trades through the engine's venue port, and returns what it sees. */
async function trade(client: VenueClient, userAddress: `0x${string}`, clock: VirtualClock) {
  const venue = createVenue(client, { userAddress });
  const gate: SendGate = {
    open: () => ({ deadline: toSeconds(clock.now()) + 90 }) as ReturnType<SendGate['open']>,
    commit: () => undefined,
  };
  const sent = await Promise.all(terms.map((each) => venue.place(each, gate)));
  await clock.sleep(15_000);
  const { rows } = await venue.orders({ page: 1, limit: 10 });
  const resting = rows.find((row) => 'status' in row && row.status === 'open');
  const orderId = resting && 'orderId' in resting ? resting.orderId : null;
  const cancelled = await venue.cancel(orderId ?? '', gate);
  await clock.sleep(15_000);
  const after = await venue.orders({ page: 1, limit: 10 });
  return { sent, cancelled, after, account: await venue.account(), now: clock.monotonic() };
}

async function inProcess() {
  const kept = openMachine({ start });
  const clock = new VirtualClock({ start: START, pace: 'max' });
  const transport = createInProcessTransport({ front: openFront(kept, { clock }), clock });
  const [key] = kept.machine.state.keys;
  if (!key) throw new Error('no key');
  const scope = { baseUrl: 'http://127.0.0.1:1', chainId: CHAIN_ID, product: PRODUCT };
  const client = createVenueClient({ ...scope, ...key, clock, transport, random: seededRandom(1) });
  const running = clock.run();
  const seen = await trade(client, key.userAddress, clock);
  clock.stop();
  await running;
  return seen;
}

async function overSockets() {
  const clock = new VirtualClock({ start: START, pace: 'max' });
  const { info, close } = await startEmulator({ start, clock });
  const [account] = info.accounts;
  const [key] = account?.keys ?? [];
  if (!account || !key) throw new Error('no key');
  const client = createVenueClient({ ...info, ...key, clock, random: seededRandom(2) });
  const running = clock.run();
  const seen = await trade(client, account.userAddress, clock);
  clock.stop();
  await running;
  await client.close();
  await close();
  return seen;
}

test('the venue client trades, cancels and reads the account at the emulator', async () => {
  const { sent, cancelled, after, account } = await inProcess();
  expect(sent.map(({ kind }) => kind)).toEqual(['accepted', 'accepted']);
  expect(cancelled.kind).toBe('accepted');
  expect(after.rows.map((row) => ('status' in row ? row.status : row)).sort()).toEqual([
    'cancelled',
    'filled',
  ]);
  expect(account.cash).toBe(parseCash('99899.89'));
  expect(account.holdings.get(ticker('MSFT'))?.exchange).toBe(parseShares('40'));
});

test('two days from one seed are the same, in process and over sockets', async () => {
  const first = await inProcess();
  expect(await inProcess()).toEqual(first);
  expect(await overSockets()).toEqual(first);
});
