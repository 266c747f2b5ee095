/** Buys 25 mUSD worth of AAPL on the emulator and waits until the order has settled. No key and no network needed. */
import {
  createVenueClient,
  DroverError,
  epochMs,
  startEmulator,
  VenueRefusedError,
  VirtualClock,
} from 'drover';

// One clock for the emulator and the client, in the regular session, 60 times as fast as a wall clock.
const clock = new VirtualClock({ start: epochMs(Date.parse('2026-06-15T14:00:00Z')), pace: 60 });
const emulator = await startEmulator({ clock });
const running = clock.run();

const { baseUrl, chainId, product, accounts } = emulator.info;
const key = accounts[0]?.keys.find(({ access }) => access === 'WRITABLE');
if (!key) throw new Error('the emulator gave no key that may write');

const { apiKey, secret } = key;
const client = createVenueClient({ baseUrl, chainId, product, apiKey, secret, clock });

/** The order of a transaction, once it has settled. Polled: the venue pushes nothing. */
async function settled(txHash: string) {
  const notYet = (error: unknown) => {
    if (error instanceof VenueRefusedError) return null;
    throw error;
  };
  const giveUpAt = clock.now() + 120_000;
  while (clock.now() < giveUpAt) {
    const order = await client.orderByTx({ path: { txHash } }).catch(notYet);
    if (order?.historyOrder) return order.historyOrder;
    await clock.sleep(2_000);
  }
  throw new Error(`${txHash} has not settled within two minutes`);
}

try {
  // A row that cannot be read is set aside with its reason instead of failing the others.
  const stocks = (await client.symbols()).filter((row) => 'symbol' in row);
  for (const { symbol, price } of stocks.slice(0, 3)) console.log(`${symbol} ${price}`);
  const apple = stocks.find(({ symbol }) => symbol === 'AAPL');
  if (!apple) throw new Error('AAPL is not listed');

  const { txHash } = await client.orderSend({
    body: {
      stockAddress: apple.contractAddress,
      side: 'Buy',
      type: 'Market',
      notional: '25',
      deadline: Math.floor(clock.now() / 1000) + 90,
    },
  });
  const { status, settlePrice, settlePay, settleReceive } = await settled(txHash);
  console.log(`${status}: paid ${settlePay} mUSD for ${settleReceive} AAPL at ${settlePrice}`);
} catch (error) {
  // The order may exist: look for it, and never send it again on a guess.
  if (error instanceof DroverError && error.effect === 'unknown')
    console.error(`the order may exist: ${error.message}`);
  throw error;
} finally {
  await client.close();
  clock.stop();
  await running;
  await emulator.close();
}
