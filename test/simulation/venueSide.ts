import type { EpochMs } from '../../src/core/brand.ts';
import type { Random } from '../../src/core/random.ts';
import { genesis } from '../../src/emulator/genesis.ts';
import { createMachine, type Arrival, type Machine, type Outcome } from '../../src/emulator/machine.ts';
import type { ApiKey, Order, Transaction } from '../../src/emulator/state.ts';
import { sign } from '../emulator/client.ts';
import { stock } from '../emulator/harness.ts';
import type { Plan } from './plan.ts';
import type { Counters } from './sometimes.ts';

const SEND = /^\/api\/v1\/orders\/send$/;

/** What the venue really did with the requests of a run, told by the nonce of each. */
export class VenueSide {
  readonly machine: Machine;
  readonly key: ApiKey;
  /** The order that a request has made, by its nonce. */
  readonly ordersByNonce = new Map<string, Order>();
  /** Transactions that the harness had placed on the key behind the runner's back. */
  readonly foreign = new Set<string>();
  readonly acceptedNonces = new Set<string>();
  onHandled: (nonce: string, request: Arrival['request'], outcome: Outcome) => void = () => undefined;
  onOrder: (nonce: string, order: Order, now: EpochMs) => void = () => undefined;
  readonly #plan: Plan;
  readonly #random: Random;
  readonly #sometimes: Counters;
  #foreignCount = 0;

  constructor(plan: Plan, random: Random, sometimes: Counters) {
    this.#plan = plan;
    this.#random = random;
    this.#sometimes = sometimes;
    const { seed, start, indexerLagMs } = plan;
    const inner = createMachine(genesis({ seed: 1 + (seed % 7), start, indexerLagMs }));
    this.machine = { ...inner, handle: (arrival, now) => this.#handle(inner, arrival, now) };
    const key = inner.state.keys.find(({ access }) => access === 'WRITABLE');
    if (!key) throw new Error('the venue has no writable key');
    this.key = key;
  }

  #handle(inner: Machine, arrival: Arrival, now: EpochMs): Outcome {
    const { orders, transactions } = inner.state;
    const [before, sent] = [orders.length, transactions.length];
    const nonce = arrival.request.headers['x-api-nonce'] ?? '';
    const outcome = inner.handle(arrival, now);
    const transaction = transactions[sent];
    const isTaken = arrival.request.method !== 'GET' && (transaction ?? outcome.reply?.status === 200);
    if (isTaken) this.acceptedNonces.add(nonce);
    if (isTaken && !transaction) this.#sometimes.neverMined++;
    const order = orders[before];
    if (order && SEND.test(arrival.request.uri)) {
      this.ordersByNonce.set(nonce, order);
      this.onOrder(nonce, order, now);
    }
    if (transaction) this.#starve(transaction, now);
    this.onHandled(nonce, arrival.request, outcome);
    return outcome;
  }

  /** Takes the gas of some transactions away, so that they revert. */
  #starve(transaction: Transaction, now: EpochMs): void {
    const rate = this.#plan.chain.get('outOfGas') ?? 0;
    if (now >= this.#plan.healAt || this.#random.next() >= rate) return;
    Object.assign(transaction, { gas: 1 });
    this.#sometimes.outOfGas++;
  }

  /** Another program places an order with the same key. */
  placeForeign(now: EpochMs): void {
    const { machine, key } = this;
    const { state } = machine;
    const before = state.orders.length;
    const nonce = `ffffffff-0000-4000-8000-${String(this.#foreignCount++).padStart(12, '0')}`;
    machine.handle(foreignOrder(key, { nonce, now, roll: this.#random.next() }), now);
    const order = state.orders[before];
    if (!order) return;
    this.foreign.add(order.txHash);
    this.ordersByNonce.delete(nonce);
    this.#sometimes.foreignOrder++;
  }
}

/** Sizes that no strategy of the run asks for. */
function foreignOrder(
  key: ApiKey,
  { nonce, now, roll }: { nonce: string; now: EpochMs; roll: number },
): Arrival {
  const order =
    roll < 0.5
      ? { side: 'Buy', type: 'Market', notional: '77.77' }
      : { side: 'Buy', type: 'Limit', quantity: '0.77', price: '20.01', timeInForce: 'DAY' };
  const body = { stockAddress: stock('KO'), deadline: Math.floor(now / 1000) + 77, ...order };
  const signed = sign(key, { method: 'POST', path: '/api/v1/orders/send', body, ts: now, nonce });
  return { request: { ...signed, ip: '127.0.0.1' }, recovered: null };
}
