import { keccak256, parseTransaction, type TransactionSerializedEIP1559 } from 'viem';
import type { z } from 'zod';
import type { Clock } from '../../src/core/clock.ts';
import {
  NoAnswerError,
  OutcomeUnknownError,
  UnreachableError,
  VenueRefusedError,
} from '../../src/core/errors.ts';
import type { Rpc } from '../../src/wallet/rpc.ts';

type Hex = `0x${string}`;
export type Mined = { status: 0 | 1; gasUsed: bigint; block: number };
export type Held = {
  hash: Hex;
  from: Hex;
  to: Hex;
  input: Hex;
  nonce: number;
  gas: bigint;
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  mined: Mined | null;
};

/**
 * Fates of the next bytes. A text is the node's refusal of them; `lostAfter`: the node has them, its response is lost;
 * `lostBefore`: they never arrived; `unconnected`: nothing has left; `otherHash`: it names another transaction.
 */
export type Fate = 'accept' | 'lostAfter' | 'lostBefore' | 'unconnected' | 'otherHash' | { says: string };

const hex = (value: number | bigint): Hex => `0x${value.toString(16)}`;

/** Hash of a transaction mined by another program. */
const OTHERS: Hex = `0x${'0e'.repeat(32)}`;

type Fees = Pick<Held, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

const outbids = (bid: Fees, old: Fees): boolean =>
  bid.maxFeePerGas * 10n >= old.maxFeePerGas * 11n &&
  bid.maxPriorityFeePerGas * 10n >= old.maxPriorityFeePerGas * 11n;

/** A minimal node for tests that decide the fate of each transaction. */
export class FakeNode implements Rpc {
  readonly held: Held[] = [];
  readonly fates: Fate[] = [];
  /** Every signed text that was offered. */
  readonly offered: string[] = [];
  readonly asked: string[] = [];
  /** The block of each estimate. */
  readonly estimatedAt: unknown[] = [];
  /** By address. */
  readonly codes = new Map<string, Hex>();
  baseFee = 50_000_000_000n;
  tip = 2_000_000_000n;
  estimate = 100_000n;
  /** Revert cause of a call now; null if it would succeed. */
  revert: string | null = null;
  /** Gas that a call needs; with less it runs out. */
  gasNeeded = 0n;
  /** Message by which the node refuses to run calls: not an outcome of the call. */
  callsRefused: string | null = null;
  readsFail = false;
  /** Nonces that other programs have used with the same wallet, from a block on. */
  usedByOthers = 0;
  usedSince = 0;
  /** Blocks whose state it still has, counted from the newest. */
  keepsBlocks = Infinity;
  /** Hides transactions of other programs in blocks. */
  hidesOthers = false;
  /** The wallet whose nonces were read last: its transactions are those of the blocks. */
  #wallet: Hex = `0x${'0'.repeat(40)}`;
  /** Excludes pending transactions from the `pending` count, as Monad's node does. */
  countsMinedAlone = false;
  /** Hides pending transactions from lookups by hash. */
  hidesWaiting = false;
  /** Blocks by which the node that counts lags behind the one that names the newest block. */
  lag = 0;
  secondsPerBlock = 1;
  /** Time in seconds from which receipts of mined transactions are shown. */
  receiptsFrom = 0;
  /** Runs when a method is called. */
  onAsk: (method: string) => void = () => undefined;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  ask<T>(method: string, params: readonly unknown[], shape: z.ZodType<T>): Promise<T> {
    this.asked.push(method);
    this.onAsk(method);
    if (method === 'eth_estimateGas') this.estimatedAt.push(params[1]);
    if (this.readsFail) return Promise.reject(new NoAnswerError('no node'));
    return Promise.resolve().then(() => {
      const { data, error } = shape.safeParse(this.#answer(method, params));
      if (error) throw new NoAnswerError(`unexpected result: ${error.issues[0]?.message ?? ''}`);
      return data as T;
    });
  }

  async askOnce<T>(_method: string, [raw]: readonly unknown[], shape: z.ZodType<T>): Promise<T> {
    this.offered.push(String(raw));
    const fate = this.fates.shift() ?? 'accept';
    const arrives = fate === 'accept' || fate === 'lostAfter' || fate === 'otherHash';
    const held = arrives ? this.take(raw as TransactionSerializedEIP1559) : null;
    await this.#clock.sleep(50);
    if (typeof fate === 'object') throw new VenueRefusedError(fate.says, { code: -32000 });
    if (fate === 'unconnected') throw new UnreachableError('nothing was sent');
    if (fate === 'lostBefore' || fate === 'lostAfter') throw new OutcomeUnknownError('reset');
    return shape.parse(fate === 'otherHash' ? `0x${'0'.repeat(64)}` : held?.hash);
  }

  ready = () => Promise.resolve();
  close = () => Promise.resolve();

  take(raw: TransactionSerializedEIP1559): Held {
    const hash = keccak256(raw);
    const known = this.held.find((each) => each.hash === hash);
    if (known) throw new VenueRefusedError('already known', { code: -32000 });
    const parsed = parseTransaction(raw);
    const { to, data = '0x', nonce = 0, gas = 0n, maxFeePerGas = 0n, maxPriorityFeePerGas = 0n } = parsed;
    if (!to) throw new Error('every transaction calls a contract');
    if (nonce < this.#used()) throw new VenueRefusedError('nonce too low', { code: -32000 });
    const replaced = this.held.find((each) => each.nonce === nonce);
    const fees = { maxFeePerGas, maxPriorityFeePerGas };
    if (replaced && !outbids(fees, replaced))
      throw new VenueRefusedError('replacement transaction underpriced', { code: -32000 });
    if (replaced) this.drop(replaced);
    const from = `0x${'0'.repeat(40)}` as const;
    const held: Held = { hash, from, to, input: data, nonce, gas, ...fees, mined: null };
    this.held.push(held);
    return held;
  }

  /** Forgets a pending transaction. */
  drop(held = this.held.at(-1)): void {
    if (held) this.held.splice(this.held.indexOf(held), 1);
  }

  mine(mined: Partial<Mined> = {}, held = this.held.at(-1)): void {
    if (!held) throw new Error('nothing waits');
    held.mined = { status: 1, gasUsed: 90_000n, block: this.#number(), ...mined };
  }

  /** Mines another program's transaction with a nonce: the pending one is dropped. */
  replace(nonce: number): void {
    for (const each of this.held.filter((other) => other.nonce === nonce && !other.mined)) this.drop(each);
    this.usedByOthers = nonce + 1;
    this.usedSince = this.#number();
  }

  /** Transactions of a block: those held here, and the one of another program that `replace` has mined. */
  #minedIn(block: number): object[] {
    const own = this.held.filter((each) => each.mined?.block === block);
    const others = this.usedByOthers > 0 && this.usedSince === block && !this.hidesOthers;
    return [
      ...own.map(({ hash, nonce }) => ({ hash, from: this.#wallet, nonce: hex(nonce) })),
      ...(others ? [{ hash: OTHERS, from: this.#wallet, nonce: hex(this.usedByOthers - 1) }] : []),
    ];
  }

  #number(): number {
    return Math.floor(this.#clock.now() / 1000 / this.secondsPerBlock);
  }

  /** The count of transactions in the state of a block. */
  #usedAt(block: number): number {
    if (block > this.#number() - this.lag) throw new NoAnswerError('header not found');
    if (block <= this.#number() - this.keepsBlocks) throw new NoAnswerError('missing trie node');
    const mined = this.held.filter((each) => each.mined && each.mined.block <= block);
    const others = block >= this.usedSince ? this.usedByOthers : 0;
    return Math.max(others, ...mined.map(({ nonce }) => nonce + 1));
  }

  #used(): number {
    return this.#usedAt(this.#number() - this.lag);
  }

  /** One more than the last nonce before a gap. */
  #counted(): number {
    let next = this.#used();
    while (this.held.some(({ nonce }) => nonce === next)) next++;
    return next;
  }

  #answer(method: string, [first, second]: readonly unknown[]): unknown {
    const param = String(first);
    const known = this.held.find(({ hash }) => hash === param);
    const held = this.hidesWaiting && !known?.mined ? undefined : known;
    switch (method) {
      case 'eth_getTransactionCount':
        this.#wallet = param as Hex;
        if (second === 'pending') return hex(this.countsMinedAlone ? this.#used() : this.#counted());
        return hex(second === 'latest' ? this.#used() : this.#usedAt(Number(second)));
      case 'eth_getCode':
        return this.codes.get(param) ?? '0x';
      case 'eth_maxPriorityFeePerGas':
        return hex(this.tip);
      case 'eth_getBlockByNumber': {
        const number = param === 'latest' ? this.#number() : Number(param);
        const timestamp = hex(number * this.secondsPerBlock);
        const header = { number: hex(number), timestamp, baseFeePerGas: hex(this.baseFee) };
        return second === true ? { ...header, transactions: this.#minedIn(number) } : header;
      }
      case 'eth_estimateGas':
      case 'eth_call':
        if (this.callsRefused !== null) throw new NoAnswerError(this.callsRefused);
        if (BigInt((first as { gas?: string }).gas ?? 2n ** 63n) < this.gasNeeded)
          throw new VenueRefusedError('out of gas', { code: -32000, data: null });
        if (this.revert !== null)
          throw new VenueRefusedError(`execution reverted: ${this.revert}`, { code: 3 });
        return method === 'eth_call' ? '0x' : hex(this.estimate);
      case 'eth_getTransactionByHash':
        return held && (!held.mined || this.#clock.now() >= this.receiptsFrom * 1000)
          ? { ...held, value: '0x0', gas: hex(held.gas), nonce: hex(held.nonce) }
          : null;
      case 'eth_getTransactionReceipt':
        if (param === OTHERS && this.usedByOthers > 0)
          return { status: '0x1', gasUsed: hex(21_000), blockNumber: hex(this.usedSince) };
        return held?.mined && this.#clock.now() >= this.receiptsFrom * 1000
          ? {
              status: hex(held.mined.status),
              gasUsed: hex(held.mined.gasUsed),
              blockNumber: hex(held.mined.block),
            }
          : null;
      default:
        throw new Error(`the fake node knows no ${method}`);
    }
  }
}
