import { cash, parsePrice } from '../src/core/amount.ts';
import { hashHex } from '../src/core/random.ts';
import type { OrderReport } from '../src/domain/venue.ts';
import type { Kernel } from '../src/engine/kernel/kernel.ts';
import { median, timed, type Result } from './result.ts';
import { MORNING, orderAtTimer, send, startKernel } from './trading.ts';

const LIVES = 1_000;
const ROUNDS = 9;
/** Events of one order: timer, sent, placed, two lists. */
const EVENTS_OF_A_LIFE = 5;

/** Measures the life of market orders, one after the other: requested, sent, accepted, seen open, seen filled. */
export async function kernel(): Promise<Result[]> {
  const rates: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const trading = startKernel({
      onTimer: ({ order }) => void order.buy('AAPL', { notional: '100' }, 'a benchmark'),
    });
    const ms = await timed(() => {
      for (let index = 0; index < LIVES; index++) live(trading, index);
    });
    rates.push((LIVES * EVENTS_OF_A_LIFE * 1_000) / ms);
  }
  return [{ name: 'kernel', value: median(rates), unit: 'events/s' }];
}

function live(trading: Kernel, index: number): void {
  const id = orderAtTimer(trading);
  const txHash = hashHex(`tx ${index}`);
  send(trading, id, txHash);
  const { reserve } = trading.context.accountState.order(id);
  const open: OrderReport = {
    txHash,
    orderId: hashHex(`order ${index}`),
    status: 'open',
    rawStatus: 'placing',
    createdAt: MORNING,
    terms: null,
    locked: reserve,
    settlement: null,
  };
  const fees = { mintFee: cash(0n), protocolFee: cash(0n) };
  const settlement = { price: parsePrice('100'), pay: reserve, receive: 10n ** 18n, ...fees, txHash };
  const filled: OrderReport = { ...open, status: 'filled', rawStatus: 'Filled', locked: null, settlement };
  for (const row of [open, filled])
    trading.handle({ kind: 'swept', asked: MORNING, rows: [row], complete: true }, MORNING);
}
