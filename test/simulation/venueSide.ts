import { epochMs, type EpochMs } from '../../src/core/brand.ts';
import { hashHex, type Random } from '../../src/core/random.ts';
import { faceOf, NodeRefusal } from '../../src/emulator/state/nodeFace.ts';
import { CHAIN_ID } from '../../src/emulator/state/constants.ts';
import { genesis } from '../../src/emulator/state/genesis.ts';
import { parseCommand } from '../../src/emulator/machine/commands.ts';
import { createMachine, type Machine, type Outcome } from '../../src/emulator/machine/machine.ts';
import type { Arrival, ApiKey, Order, SignatureFields, Transaction } from '../../src/emulator/state/state.ts';
import { ticker, type Address, type Ticker } from '../../src/domain/instrument.ts';
import { ENDLESS_TOTAL } from '../../src/emulator/faults/corrupt.ts';
import { sign } from '../emulator/client.ts';
import { stock } from '../emulator/harness.ts';
import { dividendsOf, type Plan } from './plan.ts';
import type { Counters } from './sometimes.ts';

/** Time in ms for which list and account must show the truth again before no excuse remains: several reads of both. */
const TRUTH_MS = 120_000;

/** Beginning of the nonces of the other program. */
const FOREIGN = 'ffffffff-0000-4000-8000-';

const SEND = /^\/api\/v1\/orders\/send$/;

/** Stocks that trade differently at night than listed: only in whole shares, or at all, although no order fills then. */
const NIGHTS = {
  NVDA: { fractionalEhEnabled: false },
  MSFT: { fractionalEhEnabled: false },
  KO: { overnightTradable: true, fractionalEhEnabled: false },
};

type OwnTransaction = Parameters<Machine['accept']>[0];

/** The venue's real handling of the sends of a run, by the mark of each: its nonce, or the hash of its bytes. */
export class VenueSide {
  readonly machine: Machine;
  readonly key: ApiKey;
  /** Transaction of the order that a send placed, by its mark. */
  readonly txByMark = new Map<string, string>();
  /** Transactions of orders that the harness placed with the key of the runner. */
  readonly foreign = new Set<string>();
  readonly acceptedMarks = new Set<string>();
  /** Mark of the send that placed an order, by its transaction. */
  readonly markByTx = new Map<string, string>();
  /** Stocks about which venue or node have made false statements. */
  readonly lied = new Set<Ticker>();
  /** Transactions that are executed although their deadline has passed. */
  readonly overdue = new Set<string>();
  /** Orders of which list and account deny together that they fill, by transaction; each with the end of that lie, in epoch ms. */
  readonly #denied = new Map<string, Readonly<{ symbol: Ticker; until: () => number }>>();
  onHandled: (mark: string, isSend: boolean) => void = () => undefined;
  onOrder: (mark: string, order: Order, now: EpochMs) => void = () => undefined;
  /** Called when a wallet's own transaction is in the mempool. */
  onTransaction: (txHash: string) => void = () => undefined;
  /** Called when blocks have been mined: money and stock may have moved. */
  onMined: (now: EpochMs) => void = () => undefined;
  #mined = 0;
  readonly #random: Random;
  readonly #sometimes: Counters;
  #foreignCount = 0;
  #isNextReplaced = false;

  constructor(plan: Plan, random: Random, sometimes: Counters) {
    this.#random = random;
    this.#sometimes = sometimes;
    const { seed, start, indexerLagMs, tokens } = plan;
    const dividends = dividendsOf(plan);
    const inner = createMachine(genesis({ seed: 1 + (seed % 7), start, indexerLagMs, dividends }));
    if (plan.nights) inner.command(parseCommand('constants', { nights: NIGHTS }), start);
    if (tokens) {
      const { contract, withheldBps, begins } = tokens;
      const terms = { tokens: { '*': { contract } }, dividends: { pays: dividends, withheldBps, begins } };
      inner.command(parseCommand('constants', terms), start);
    }
    this.machine = {
      ...inner,
      handle: (arrival, now) => this.#handle(inner, arrival, now),
      accept: (transaction, now) => this.#accept(inner, transaction, now),
      read: (look, now) => {
        this.#advance(inner, now);
        this.#look(now);
        return inner.read(look, now);
      },
      nodeFault: (request, now) => inner.nodeFault(request, this.#advance(inner, now)),
      script: (steps, now) => inner.script(steps, this.#advance(inner, now)),
      command: (command, now) => inner.command(command, this.#advance(inner, now)),
      truth: (now) => inner.truth(this.#advance(inner, now)),
      advance: (now) => void this.#advance(inner, now),
    };
    const key = inner.state.keys.find(({ access }) => access === 'WRITABLE');
    if (!key) throw new Error('the venue has no writable key');
    this.key = key;
  }

  /** True for an order whose real state no read of the venue can show while it lies: only the doubt bounds it. */
  isUnknowable(txHash: string): boolean {
    return this.overdue.has(txHash) || this.#denied.has(txHash);
  }

  /** True while list and account lie together about a stock, and until they have shown the truth for some looks. */
  isDeceived(symbol: string, now: EpochMs): boolean {
    return [...this.#denied.values()].some((lie) => lie.symbol === symbol && now < lie.until() + TRUTH_MS);
  }

  get privateKey(): `0x${string}` {
    const own = ({ userAddress }: { userAddress: string }) => userAddress === this.key.userAddress;
    const { privateKey } = this.machine.state.accounts.find(own) ?? {};
    if (privateKey === undefined) throw new Error('the venue has no such account');
    return privateKey;
  }

  /** The present transaction: after a reorganisation there may be another, or none. */
  orders(): Map<string, Order> {
    return new Map(this.machine.state.orders.map((order) => [order.txHash, order]));
  }

  /** Moves the venue on, and notes each order that a request which was held on its way places meanwhile. */
  #advance(inner: Machine, now: EpochMs): EpochMs {
    const nextLate = () => inner.state.tasks.find((task) => task.kind === 'arrival' && task.due <= now);
    for (let late = nextLate(); late?.kind === 'arrival'; late = nextLate()) {
      inner.advance(epochMs(late.due - 1));
      const before = inner.state.orders.length;
      inner.advance(late.due);
      this.#took(late.arrival, inner.state.orders[before], late.due);
    }
    inner.advance(now);
    return now;
  }

  #took({ request }: Arrival, order: Order | undefined, now: EpochMs): void {
    if (order && SEND.test(request.uri)) this.#made(request.headers['x-api-nonce'] ?? '', order, now);
  }

  #handle(inner: Machine, arrival: Arrival, now: EpochMs): Outcome {
    this.#advance(inner, now);
    const { orders, transactions } = inner.state;
    const [before, sent] = [orders.length, transactions.length];
    const { method, headers } = arrival.request;
    const nonce = headers['x-api-nonce'] ?? '';
    const outcome = inner.handle(arrival, now);
    this.#look(now);
    const isTaken = method !== 'GET' && (transactions[sent] ?? outcome.reply?.status === 200);
    if (isTaken) this.acceptedMarks.add(nonce);
    const order = orders[before];
    this.#took(arrival, order, now);
    if (order && outcome.reply?.status === 400) this.lied.add(order.symbol);
    const invented = inventedIn(outcome.reply?.body ?? '');
    if (invented !== null) this.lied.add(invented);
    this.onHandled(nonce, method !== 'GET');
    return outcome;
  }

  #accept(inner: Machine, transaction: OwnTransaction, now: EpochMs): void {
    const { hash } = transaction;
    this.#advance(inner, now);
    inner.accept(transaction, now);
    this.acceptedMarks.add(hash);
    this.onTransaction(hash);
    const order = inner.state.orders.findLast(({ txHash }) => txHash === hash);
    if (order) this.#made(hash, order, now);
    else for (const each of inner.state.orders) if (each.fate?.kind.startsWith('false-')) this.#lies(each);
    if (this.#isNextReplaced) {
      this.#isNextReplaced = false;
      this.#replace(transaction, now);
    }
    this.onHandled(hash, true);
  }

  #made(mark: string, order: Order, now: EpochMs): void {
    if (mark.startsWith(FOREIGN)) {
      this.foreign.add(order.txHash);
      this.#sometimes.foreignOrder++;
    } else {
      this.txByMark.set(mark, order.txHash);
      this.markByTx.set(order.txHash, mark);
    }
    if (order.fate?.kind.startsWith('false-') || this.#isDenied(order)) this.#lies(order);
    const { pastDeadline } = this.#transactionOf(order.txHash) ?? {};
    if (pastDeadline) {
      this.overdue.add(order.txHash);
      this.lied.add(order.symbol);
      this.#sometimes.executedLate++;
    }
    this.onOrder(mark, order, now);
  }

  /** Notes a lie about an order: by its send, or by the cancel of it. */
  #lies({ fate, txHash, symbol }: Order): void {
    this.lied.add(symbol);
    if (fate?.kind !== 'false-end' || !fate.account) return;
    const { afterMs, forMs = Infinity } = fate;
    const linkedAt = () => this.machine.state.mappings.find((each) => each.txHash === txHash)?.createdAt;
    this.#denied.set(txHash, { symbol, until: () => (linkedAt() ?? Infinity) + afterMs + forMs });
  }

  /** Time of the block with a transaction; null while it is in none. An order has no such time where it reverted. */
  minedAt(txHash: string): EpochMs | null {
    return this.#transactionOf(txHash)?.minedAt ?? null;
  }

  #transactionOf(txHash: string): Transaction | undefined {
    return this.machine.state.transactions.findLast(({ hash }) => hash === txHash);
  }

  /** True when the node denies or distorts its transaction. */
  #isDenied(order: Order): boolean {
    return this.#transactionOf(order.txHash)?.lie !== undefined;
  }

  #look(now: EpochMs): void {
    const { length } = this.machine.state.mined;
    if (length === this.#mined) return;
    this.#mined = length;
    this.onMined(now);
  }

  /** Has another program send from the same wallet: after all waiting transactions, or in place of the next one. */
  sendElsewhere(now: EpochMs, isReplacing: boolean): void {
    if (isReplacing) this.#isNextReplaced = true;
    else this.#send(this.#ofWallet().length, null, now);
  }

  /** Transactions of the wallet, waiting ones included. */
  #ofWallet(): readonly Transaction[] {
    return this.machine.state.transactions.filter(({ from }) => from === this.key.userAddress);
  }

  /** Has another program replace a transaction at its nonce, with the least rise of fees that the node requires. */
  #replace({ nonce, signed }: OwnTransaction, now: EpochMs): void {
    const { replacementPercent } = faceOf(this.machine.state);
    if (this.#send(nonce, feesAbove(signed, replacementPercent), now))
      this.#sometimes[replacementPercent === 0 ? 'replacedByAny' : 'replacedByTenth']++;
  }

  #send(nonce: number, fees: Fees | null, now: EpochMs): boolean {
    try {
      this.machine.accept(paymentOf(this.key.userAddress, { nonce, fees: fees ?? DEAR }), now);
    } catch (error) {
      if (error instanceof NodeRefusal) return false;
      throw error;
    }
    this.#sometimes.walletElsewhere++;
    return true;
  }

  /** Has another program place an order with the same key. */
  placeForeign(now: EpochMs): void {
    const nonce = `${FOREIGN}${String(this.#foreignCount++).padStart(12, '0')}`;
    this.machine.handle(foreignOrder(this.key, { nonce, now, roll: this.#random.next() }), now);
  }
}

/** Length of the beginning of a response that contains the total of a list. */
const HEAD = 200;

/** Stock of the invented orders that fill a page of an endless list; null for any other response. */
function inventedIn(body: string): Ticker | null {
  if (!body.slice(0, HEAD).includes(`"total":${ENDLESS_TOTAL},`)) return null;
  const [, symbol] = [...body.matchAll(/"symbol":"([A-Z.]+)"/g)].at(-1) ?? [];
  return symbol === undefined ? null : ticker(symbol);
}

type Fees = Pick<SignatureFields, 'maxFeePerGas' | 'maxPriorityFeePerGas'>;

const DEAR: Fees = { maxFeePerGas: 900_000_000_000n, maxPriorityFeePerGas: 2_000_000_000n };
const GWEI = 1_000_000_000n;

/** The lowest fees that a node accepts for a replacement. Wei. */
function feesAbove(old: Fees, percent: number): Fees {
  const raised = (fee: bigint) => (percent === 0 ? fee + GWEI : (fee * BigInt(100 + percent)) / 100n + 1n);
  const { maxFeePerGas, maxPriorityFeePerGas } = old;
  return { maxFeePerGas: raised(maxFeePerGas), maxPriorityFeePerGas: raised(maxPriorityFeePerGas) };
}

/** A payment of nothing: the effect of another program's transaction does not matter to the run. */
const paymentOf = (
  from: Address,
  { nonce, fees }: Readonly<{ nonce: number; fees: Fees }>,
): OwnTransaction => ({
  hash: hashHex(`elsewhere ${from} ${nonce} ${fees.maxFeePerGas}`),
  from,
  to: `0x${'22'.repeat(20)}`,
  nonce,
  data: '0x',
  value: 0n,
  gas: 21_000n,
  chainId: CHAIN_ID,
  signed: { type: 'eip1559', ...fees, r: '0x1', s: '0x1', yParity: 0 },
});

/** Sizes that no strategy of the run requests. */
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
