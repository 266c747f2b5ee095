import { z } from 'zod';
import { tradingCalendar } from '../src/calendar/index.ts';
import { cash, parseCash, parsePrice } from '../src/core/amount.ts';
import { epochMs } from '../src/core/brand.ts';
import { hashHex } from '../src/core/random.ts';
import { InvariantError } from '../src/core/errors.ts';
import { DOCUMENTED_FEES } from '../src/domain/fees.ts';
import { ticker, type Address, type Ticker } from '../src/domain/instrument.ts';
import type { OrderId } from '../src/domain/orders/order.ts';
import type { Listing, OrderReport } from '../src/domain/venue.ts';
import { Kernel } from '../src/engine/kernel/kernel.ts';
import { inProcess, type CreateRuntime } from '../src/engine/strategy/strategyRuntime.ts';
import type { KernelEvent } from '../src/engine/state/kernelEvent.ts';
import { defineStrategy, type DataNeeds, type StrategyHooks } from '../src/strategy/index.ts';
import { hashOf, openRow, USER } from './orderList.ts';

/** A Monday, 11:00 in New York. */
export const MORNING = epochMs(Date.parse('2026-06-15T15:00:00Z'));

const MONEY = parseCash('1000000000');

/** Starts a kernel with one strategy of these hooks and more money than it can spend. */
export function startKernel(hooks: StrategyHooks): Kernel {
  const definition = defineStrategy({
    name: 'bench',
    description: 'trades for a benchmark',
    params: z.strictObject({}),
    data: () => ({}),
    create: () => hooks,
  });
  return startKernelOn(inProcess(definition, {}), { quotes: ['AAPL'] });
}

/** Starts the same kernel for a strategy in another thread. */
export function startKernelOn(
  createRuntime: CreateRuntime,
  needs: DataNeeds,
  symbols: readonly string[] = ['AAPL'],
): Kernel {
  const account = { cash: MONEY, holdings: new Map() };
  const kernel = new Kernel({
    calendar: tradingCalendar,
    rules: { limits: {}, ownLimits: new Map(), collarBps: 50, deadlineMs: 90_000, fees: DOCUMENTED_FEES },
    strategies: [{ id: 'bench', capital: MONEY, needs, createRuntime }],
    obstacles: { reason: () => null },
  });
  const events: readonly KernelEvent[] = [
    { kind: 'listed', listings: symbols.map((symbol) => listing(ticker(symbol), '100')) },
    { kind: 'opened', account },
    { kind: 'account', asked: MORNING, report: account },
    { kind: 'warm', bars: [] },
    { kind: 'start' },
    { kind: 'session', change: 'opened', session: tradingCalendar.sessionFrom('2026-06-15') },
  ];
  for (const event of events) kernel.handle(event, MORNING);
  return kernel;
}

/** A stock at a price. Each needs its own contract, made from the last digits of the symbol. */
export function listing(symbol: Ticker, price: string, at = MORNING): Listing {
  const number = /\d*$/.exec(symbol)?.[0] ?? '';
  const address = `${USER.slice(0, USER.length - number.length)}${number}` as Address;
  const instrument = { symbol, address, tradable: true, fractionable: true, overnightTradable: false };
  return { instrument, quote: { symbol, price: parsePrice(price), at } };
}

/** The single order that a timer of the strategy has just placed. */
export function orderAtTimer(kernel: Kernel, at = MORNING): OrderId {
  const { effects } = kernel.handle({ kind: 'timer', strategyId: 'bench', timer: 'order' }, at);
  const [effect] = effects;
  if (effect?.kind !== 'place') throw new InvariantError('the strategy has made no order');
  return effect.id;
}

/** Takes an order through its gate, its send and the venue's response. */
export function send(kernel: Kernel, id: OrderId, txHash: string): void {
  const at = kernel.context.now;
  const permit = kernel.permitPlacing(id, at);
  if ('stop' in permit) throw new InvariantError(permit.stop);
  const { deadline } = permit;
  const request = {
    method: 'POST',
    uri: '/api/v1/orders/send',
    timestamp: at,
    nonce: id,
    body: '{}',
  } as const;
  kernel.handle({ kind: 'sent', id, deadline, request }, at);
  kernel.handle({ kind: 'placed', id, outcome: { kind: 'accepted', txHash } }, at);
}

/** Takes an order of the strategy's timer through its life: requested, sent, accepted, seen open, seen filled. */
export function fillOrder(trading: Kernel, index: number, at = MORNING): void {
  const id = orderAtTimer(trading, at);
  const txHash = hashHex(`tx ${index}`);
  send(trading, id, txHash);
  const { reserve } = trading.context.accountState.order(id);
  const open: OrderReport = {
    txHash,
    orderId: hashHex(`order ${index}`),
    status: 'open',
    rawStatus: 'placing',
    createdAt: at,
    terms: null,
    locked: reserve,
    settlement: null,
  };
  const fees = { mintFee: cash(0n), protocolFee: cash(0n) };
  const settlement = { price: parsePrice('100'), pay: reserve, receive: 10n ** 18n, ...fees, txHash };
  const filled: OrderReport = { ...open, status: 'filled', rawStatus: 'Filled', locked: null, settlement };
  for (const row of [open, filled])
    trading.handle({ kind: 'swept', asked: at, rows: [row], complete: true }, at);
}

/** Places an order until the venue shows it open; returns its row. */
export function restOrder(kernel: Kernel, index: number, at = MORNING) {
  const id = orderAtTimer(kernel, at);
  send(kernel, id, hashOf(index));
  const { terms, reserve } = kernel.context.accountState.order(id);
  if (terms.type !== 'limit') throw new InvariantError('the strategy places limit orders');
  const row = openRow(index, terms, at);
  const report: OrderReport = {
    txHash: row.txHash,
    orderId: row.orderId,
    status: 'open',
    rawStatus: row.status,
    createdAt: at,
    terms: null,
    locked: reserve,
    settlement: null,
  };
  kernel.handle({ kind: 'looked', asked: at, id, report, absence: null }, at);
  return row;
}
