import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import type { Command } from '../../src/emulator/machine/commands.ts';
import { genesis } from '../../src/emulator/state/genesis.ts';
import { createMachine, type Machine, type Outcome } from '../../src/emulator/machine/machine.ts';
import { createMarket } from '../../src/emulator/market/index.ts';
import type { Address } from '../../src/domain/instrument.ts';
import type { ApiKey } from '../../src/emulator/state/state.ts';
import { sign, type Call, type Envelope } from './client.ts';

/** Monday 2026-06-15, 10:00 in New York. */
export const START = epochMs(Date.parse('2026-06-15T14:00:00Z'));
export const OPEN = epochMs(Date.parse('2026-06-15T13:30:00Z'));
export const CLOSE = epochMs(Date.parse('2026-06-15T20:00:00Z'));

export const stocks = createMarket({ seed: 1 }).listings;
export const stock = (symbol: string): Address => {
  const listing = stocks.find((each) => each.symbol === symbol);
  if (!listing) throw new Error(`no ${symbol}`);
  return listing.address;
};

export type Answer = { status: number; body: Envelope; text: string };

/** The machine, with control over its time. */
export class Bench {
  readonly machine: Machine;
  now: EpochMs;
  #nonce = 0;

  constructor(options: { seed?: number; start?: EpochMs; indexerLagMs?: number; machine?: Machine } = {}) {
    const { seed = 1, start = START, indexerLagMs = 3_000 } = options;
    this.machine = options.machine ?? createMachine(genesis({ seed, start, indexerLagMs }));
    this.now = this.machine.state.now;
  }

  key(account = 0, access: ApiKey['access'] = 'WRITABLE'): ApiKey {
    const { userAddress } = this.account(account);
    const found = this.machine.state.keys.find(
      (key) => key.userAddress === userAddress && key.access === access,
    );
    if (!found) throw new Error('no key');
    return found;
  }

  account(index = 0) {
    const found = this.machine.state.accounts[index];
    if (!found) throw new Error(`no account ${index}`);
    return found;
  }

  nonce(): string {
    return `00000000-0000-4000-8000-${String(this.#nonce++).padStart(12, '0')}`;
  }

  outcome(call: Omit<Call, 'ts'>, key: ApiKey = this.key()): Outcome {
    const signed = sign(key, { nonce: this.nonce(), ...call, ts: this.now });
    return this.machine.handle({ request: { ...signed, ip: '127.0.0.1' }, recovered: null }, this.now);
  }

  ask(call: Omit<Call, 'ts'>, key?: ApiKey): Answer {
    const { reply } = this.outcome(call, key);
    if (!reply) throw new Error('the connection broke');
    return { status: reply.status, text: reply.body, body: JSON.parse(reply.body) as Envelope };
  }

  get(path: string, query: Record<string, string | number> = {}, key?: ApiKey): unknown {
    const { body } = this.ask({ method: 'GET', path: `/api/v1${path}`, query }, key);
    if (body.code !== 200) throw new Error(`${path}: ${body.code} ${body.errMsg}`);
    return body.data;
  }

  post(path: string, body: unknown, key?: ApiKey): Envelope {
    return this.ask({ method: 'POST', path: `/api/v1${path}`, body }, key).body;
  }

  /** Transaction of an accepted send. */
  sent(path: string, body: unknown, key?: ApiKey): string {
    const { code, errMsg, data } = this.post(path, body, key);
    if (code !== 200) throw new Error(`${path}: ${code} ${errMsg}`);
    return (data as { txHash: string }).txHash;
  }

  command(command: Command): void {
    this.machine.command(command, this.now);
  }

  transaction(txHash: string) {
    const found = this.machine.state.transactions.find(({ hash }) => hash === txHash);
    if (!found) throw new Error(`no transaction ${txHash}`);
    return found;
  }

  /** Cause of the revert of a mined transaction; null if it succeeded. */
  revert(txHash: string): string | null | undefined {
    return this.transaction(txHash).receipt?.revert;
  }

  deadline(seconds = 90): number {
    return Math.floor(this.now / 1000) + seconds;
  }

  send(order: Record<string, unknown>, key?: ApiKey): Answer {
    const body = { stockAddress: stock('AAPL'), deadline: this.deadline(), ...order };
    return this.ask({ method: 'POST', path: '/api/v1/orders/send', body }, key);
  }

  /** Transaction of an accepted order. */
  place(order: Record<string, unknown>, key?: ApiKey): string {
    const { body } = this.send(order, key);
    if (body.code !== 200) throw new Error(`${body.code} ${body.errMsg}`);
    return (body.data as { txHash: string }).txHash;
  }

  cancel(orderId: string, seconds = 90): Answer {
    const path = `/api/v1/orders/${orderId}/send`;
    return this.ask({ method: 'DELETE', path, query: { deadline: this.deadline(seconds) } });
  }

  wait(ms: number): void {
    this.now = epochMs(this.now + ms);
    this.machine.advance(this.now);
  }

  order(txHash: string) {
    const found = this.machine.truth(this.now).orders.find((order) => order.txHash === txHash);
    if (!found) throw new Error(`no order ${txHash}`);
    return found;
  }

  cash(account = 0) {
    const { mUsd, mUsdLocked } = this.truthOf(account);
    return { free: mUsd, locked: mUsdLocked };
  }

  stock(symbol: string, account = 0) {
    const found = this.truthOf(account).stocks.find((each) => each.symbol === symbol);
    return found ?? { symbol, exchange: '0', locked: '0', wallet: '0', debt: '0' };
  }

  truthOf(account: number) {
    const found = this.machine.truth(this.now).accounts[account];
    if (!found) throw new Error(`no account ${account}`);
    return found;
  }

  price(symbol = 'AAPL'): number {
    return (this.get(`/underlying/${symbol}/price`) as { price: number }).price;
  }
}
