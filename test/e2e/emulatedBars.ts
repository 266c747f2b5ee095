import { createVenueClient } from '../../src/api/client.ts';
import { createVenue } from '../../src/api/venue.ts';
import type { BacktestBars } from '../../src/backtest/options.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import { VirtualClock } from '../../src/core/virtualClock.ts';
import type { Interval } from '../../src/domain/bar.ts';
import { ticker } from '../../src/domain/instrument.ts';
import { CHAIN_ID, PRODUCT } from '../../src/emulator/state/constants.ts';
import { columnsOfRows } from '../../src/market/mergeBars.ts';
import { openFront, openMachine } from '../../src/emulator/index.ts';
import { createInProcessTransport } from '../emulator/http/inProcess.ts';

/** Bars of an emulator with this seed until the close of a session, as anyone can read them afterwards. */
export async function barsOf(
  needs: readonly (readonly [string, Interval])[],
  { seed, close }: Readonly<{ seed: number; close: EpochMs }>,
): Promise<BacktestBars[]> {
  const clock = new VirtualClock({ start: epochMs(close + 60_000), pace: 'max' });
  const kept = openMachine({ start: new Date(clock.now()).toISOString(), seed });
  const transport = createInProcessTransport({ front: openFront(kept, { clock }), clock });
  const key = kept.machine.state.keys.find(({ access }) => access === 'WRITABLE');
  if (!key) throw new Error('the emulator has no key');
  const { apiKey, secret, userAddress } = key;
  const client = createVenueClient({
    baseUrl: 'http://127.0.0.1:1',
    chainId: CHAIN_ID,
    product: PRODUCT,
    transport,
    clock,
    apiKey,
    secret,
  });
  const venue = createVenue(client, { userAddress });
  const passing = clock.run();
  const all: BacktestBars[] = [];
  for (const [symbol, interval] of needs) {
    const bars = await venue.bars({ symbol: ticker(symbol), interval, to: close, limit: 1_500 });
    all.push({
      symbol,
      interval,
      ...columnsOfRows(bars.filter(({ start }) => tradingCalendar.sessionAt(start))),
    });
  }
  clock.stop();
  await passing;
  return all;
}
