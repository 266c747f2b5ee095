import { Pool } from 'undici';
import { parsePrice, parseShares } from '../src/core/amount.ts';
import { systemClock } from '../src/core/clock.ts';
import { ticker } from '../src/domain/instrument.ts';
import { withLoopback } from './loopback.ts';
import { clientAt, listBody, openRow, USER } from './orderList.ts';
import { median, timed, type Result } from './result.ts';

const CONCURRENCY = 64;
const REQUESTS = 4_000;
const ROUNDS = 15;
const WARM_UP = 3;
const ROWS = 2;

type ReadCall = () => Promise<unknown>;

/** Reads a list of two open orders, 64 at a time: by the product's client, and by a bare pool that only receives the text. */
export async function client(): Promise<Result[]> {
  const now = systemClock.now();
  const terms = {
    type: 'limit',
    side: 'buy',
    symbol: ticker('AAPL'),
    stock: USER,
    quantity: parseShares('10'),
    price: parsePrice('209.04'),
  } as const;
  const rows = Array.from({ length: ROWS }, (_, index) => openRow(index, terms, now));
  return withLoopback({ body: listBody(rows, now), delayMs: 0 }, async (origin) => {
    const pool = new Pool(origin, { connections: CONCURRENCY });
    const full = clientAt(origin);
    try {
      return [
        await compare(
          async () => (await pool.request({ method: 'GET', path: '/api/v1/orders?limit=20' })).body.text(),
          () => full.orders({ query: { limit: 20 } }),
        ),
      ];
    } finally {
      await Promise.all([pool.close(), full.close()]);
    }
  });
}

/** Alternates which side goes first in each pair, so that other load affects both alike. */
async function compare(bare: ReadCall, full: ReadCall): Promise<Result> {
  const rates: number[] = [];
  const ratios: number[] = [];
  for (let round = -WARM_UP; round < ROUNDS; round++) {
    const fullFirst = round % 2 === 0;
    const early = fullFirst ? await rateOf(full) : 0;
    const bareRate = await rateOf(bare);
    const fullRate = fullFirst ? early : await rateOf(full);
    if (round < 0) continue;
    rates.push(fullRate);
    ratios.push(fullRate / bareRate);
  }
  const ratio = { vs: 'bare undici pool', x: median(ratios) };
  return { name: 'client', value: median(rates), unit: 'requests/s', ratio };
}

async function rateOf(read: ReadCall): Promise<number> {
  let left = REQUESTS;
  const reader = async () => {
    while (left-- > 0) await read();
  };
  const ms = await timed(() => Promise.all(Array.from({ length: CONCURRENCY }, reader)));
  return (REQUESTS * 1_000) / ms;
}
