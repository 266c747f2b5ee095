import {
  cash,
  notionalOf,
  price as toPrice,
  shares,
  sharesFor,
  type Cash,
  type Shares,
} from '../../src/core/amount.ts';
import { epochMs, toSeconds, type EpochMs } from '../../src/core/brand.ts';
import type { Clock } from '../../src/core/clock.ts';
import { UnauthorizedError, UnreachableError } from '../../src/core/errors.ts';
import { hashHex } from '../../src/core/random.ts';
import type { CorporateAction } from '../../src/domain/corporateAction.ts';
import { ticker, type Address, type Instrument } from '../../src/domain/instrument.ts';
import type {
  AccountReport,
  Listing,
  OrderReport,
  Over24h,
  FundedTerms,
  SendGate,
  SendOutcome,
  Settlement,
  SignedTransaction,
  Venue,
  VenueStatus,
  VenueTerms,
} from '../../src/domain/venue.ts';
import { buyCost, sellProceeds } from '../../src/domain/fees.ts';

export type Row = { -readonly [K in keyof OrderReport]: OrderReport[K] } & {
  order: FundedTerms;
  shown: boolean;
};

/**
 * Fates of the next sends. `lostAfter`: the venue has it, the response is lost. `lostBefore`: it never arrived. `late`: a
 * cancel is accepted and shows no effect yet. `refusedTwin`: the venue has it, and the response is that of a second copy.
 * `refusedAfterTheDeed`: the venue has it, and denies it in a documented text. `sameHash`: the response names the
 * transaction of the first order. `answeredLate`: the response comes half a minute after the time limit. `twice`: the venue
 * accepts the order twice.
 */
export type SendFate =
  | 'accept'
  | 'lostAfter'
  | 'lostBefore'
  | 'refuse'
  | 'refusedTwin'
  | 'refusedAfterTheDeed'
  | 'hang'
  | 'late'
  | 'sameHash'
  | 'answeredLate'
  | 'unauthorized'
  | 'otherSession'
  | 'twice';

/** A minimal venue for tests that decide the fate of each order. */
export class FakeVenue implements Venue {
  readonly rows: Row[] = [];
  readonly prices = new Map<string, bigint>([
    ['AAPL', 100n * 10n ** 18n],
    ['MSFT', 50n * 10n ** 18n],
  ]);
  /** Change and volume over 24 hours, as listed. */
  readonly over24h = new Map<string, Over24h>();
  /** Time at which the price of a halted symbol last moved; other symbols move now. */
  readonly haltedAt = new Map<string, EpochMs>();
  /** Proxy wallet of One Click, if the venue names one. */
  delegatee: string | undefined;
  /** Fees and cash tokens, if the venue states them. */
  tells: VenueTerms | null = null;
  /** Contracts and decimals that replace the usual ones, by symbol. */
  readonly told = new Map<string, Partial<Instrument>>();
  readonly holdings = new Map<string, bigint>();
  readonly fates: SendFate[] = [];
  readonly cancelFates: SendFate[] = [];
  cash = 100_000n * 10n ** 18n;
  /** True if new orders are in lists at once. */
  indexed = true;
  delegationOn = true;
  readsFail = false;
  /** True if the key is refused. */
  locked = false;
  /** True if orders are the wallet's own transactions: their hash is known before they leave. */
  signsHere = false;
  /** Number of rows missing from the order list by its own total. */
  shortRows = 0;
  /** Time in ms by which the venue's clock is ahead of ours. */
  aheadMs = 0;
  offsetMs?: () => number | null;
  /** Splits and dividends, if the venue lists them. */
  corporateActions?: () => Promise<readonly CorporateAction[]>;
  sends = 0;
  cancels = 0;
  readonly #clock: Clock;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async listings(): Promise<Listing[]> {
    this.#read();
    return [...this.prices].map(([name, price]) => {
      const symbol = ticker(name);
      const address = hashHex(name).slice(0, 42) as Address;
      return {
        instrument: {
          symbol,
          address,
          tradable: true,
          fractionable: name !== 'MSFT',
          overnightTradable: false,
          ...this.told.get(name),
        },
        quote: { symbol, price: toPrice(price), at: this.haltedAt.get(name) ?? this.#clock.now() },
        over24h: this.over24h.get(name) ?? {},
      };
    });
  }

  async bars() {
    this.#read();
    return [];
  }

  async account(): Promise<AccountReport> {
    this.#read();
    const holdings = [...this.holdings].map(
      ([symbol, amount]) => [ticker(symbol), { exchange: shares(amount), wallet: shares(0n) }] as const,
    );
    return { cash: cash(this.cash), holdings: new Map(holdings) };
  }

  async orders({ page, limit }: { page: number; limit: number }) {
    this.#read();
    const shown = this.rows.filter((row) => row.shown).reverse();
    const rows = shown.slice(this.shortRows).slice((page - 1) * limit, page * limit);
    return { total: shown.length, rows: rows.map((row) => ({ ...row })) };
  }

  async orderByTx(txHash: string) {
    this.#read();
    const row = this.rows.find((one) => one.txHash === txHash && one.shown);
    return row ? { ...row } : null;
  }

  async delegation() {
    this.#read();
    const status = this.delegationOn ? 'enable' : 'disabled';
    const { delegatee } = this;
    return { enabled: this.delegationOn, status, ...(delegatee === undefined ? {} : { delegatee }) };
  }

  async terms() {
    this.#read();
    return this.tells;
  }

  async place(terms: FundedTerms, gate: SendGate): Promise<SendOutcome> {
    const permit = gate.open();
    if ('stop' in permit) return { kind: 'stopped', reason: permit.stop };
    gate.commit(this.signsHere ? this.#transaction() : this.#request('POST', '/api/v1/orders/send'));
    this.sends++;
    const fate = this.fates.shift() ?? 'accept';
    await this.#clock.sleep(50);
    if (fate === 'hang') await this.#clock.sleep(3_600_000);
    if (fate === 'refuse') return { kind: 'refused', reason: 'the venue said no' };
    if (fate === 'lostBefore') return { kind: 'unknown', reason: 'no answer' };
    if (fate === 'unauthorized') return { kind: 'refused', reason: 'unauthorized', unproven: true };
    if (fate === 'otherSession') return { kind: 'refused', reason: 'after-hours', session: 'after-hours' };
    const row = this.#mine(terms);
    if (fate === 'twice') this.#mine(terms);
    if (fate === 'answeredLate') {
      const { txHash } = row;
      void this.#clock.sleep(30_000).then(() => gate.late?.({ kind: 'accepted', txHash }));
      return { kind: 'unknown', reason: 'no answer in time' };
    }
    if (fate === 'lostAfter') return { kind: 'unknown', reason: 'no answer' };
    if (fate === 'refusedAfterTheDeed') return { kind: 'refused', reason: 'the deadline has expired' };
    if (fate === 'refusedTwin') return { kind: 'refused', reason: 'unauthorized', unproven: true };
    const answered = fate === 'sameHash' ? this.rows[0] : row;
    return { kind: 'accepted', txHash: answered?.txHash ?? row.txHash };
  }

  async cancel(orderId: string, gate: SendGate): Promise<SendOutcome> {
    const permit = gate.open();
    if ('stop' in permit) return { kind: 'stopped', reason: permit.stop };
    gate.commit(this.#request('DELETE', `/api/v1/orders/${orderId}/send`));
    this.cancels++;
    const fate = this.cancelFates.shift() ?? 'accept';
    await this.#clock.sleep(50);
    if (fate === 'refuse') return { kind: 'refused', reason: 'not open' };
    if (fate === 'lostBefore') return { kind: 'unknown', reason: 'no answer' };
    const row = this.rows.find((one) => one.orderId === orderId);
    if (row?.status === 'open' && fate !== 'late') this.end(row, 'cancelled');
    if (fate === 'lostAfter') return { kind: 'unknown', reason: 'no answer' };
    const answered = fate === 'sameHash' ? this.rows[0]?.txHash : undefined;
    return { kind: 'accepted', txHash: answered ?? hashHex(`cancel ${orderId}`) };
  }

  /** Fills an order, wholly or in part, and ends it. */
  fill(row: Row, how: VenueStatus = 'filled', part?: Shares): void {
    const { order } = row;
    const price = toPrice(order.type === 'limit' ? order.price : (this.prices.get(order.symbol) ?? 0n));
    const quantity =
      part ?? ('quantity' in order ? order.quantity : sharesFor(order.notional, price, 'down'));
    const notional =
      order.type === 'market' && order.side === 'buy' ? order.notional : notionalOf(quantity, price, 'up');
    const money = order.side === 'buy' ? buyCost(notional).total : sellProceeds(notional).net;
    const [pay, receive] = order.side === 'buy' ? [money, quantity] : [quantity, money];
    const settlement: Settlement = {
      price,
      pay,
      receive,
      mintFee: cash(0n),
      protocolFee: cash(0n),
      txHash: null,
    };
    this.#unlock(row);
    this.#move(order.side === 'buy' ? 'mUSD' : order.symbol, -pay);
    this.#move(order.side === 'buy' ? order.symbol : 'mUSD', receive);
    Object.assign(row, { status: how, rawStatus: how, settlement, locked: null });
  }

  end(row: Row, status: VenueStatus): void {
    this.#unlock(row);
    Object.assign(row, { status, rawStatus: status, locked: null });
  }

  /** Drops the transaction of an order: only the link to the key remains. */
  neverMined(row: Row): void {
    this.#unlock(row);
    Object.assign(row, { orderId: null, status: 'pending', rawStatus: 'Pending', terms: null, locked: null });
  }

  get last(): Row {
    const row = this.rows.at(-1);
    if (!row) throw new Error('nothing was placed');
    return row;
  }

  /** Places an order of another program on the same key. */
  foreign(terms: FundedTerms): Row {
    return this.#mine(terms);
  }

  #mine(order: FundedTerms): Row {
    const at: EpochMs = epochMs(toSeconds(epochMs(this.#clock.now() + this.aheadMs)) * 1000);
    const id = hashHex(`order ${this.rows.length}`);
    const locked = order.side === 'sell' ? order.quantity : buyCost(this.#notional(order)).total;
    const quantity = 'quantity' in order ? order.quantity : null;
    const notional = 'notional' in order ? order.notional : null;
    const price = 'price' in order ? order.price : null;
    const { symbol, side, type } = order;
    const row: Row = {
      txHash: hashHex(`tx ${this.rows.length}`),
      orderId: id,
      status: 'open',
      rawStatus: 'placing',
      createdAt: at,
      terms: { symbol, side, type, quantity, notional, price },
      locked,
      settlement: null,
      order,
      shown: this.indexed,
    };
    this.rows.push(row);
    this.#move(side === 'buy' ? 'mUSD' : symbol, -locked);
    return row;
  }

  #notional(order: FundedTerms): Cash {
    if (order.type === 'limit') return notionalOf(order.quantity, order.price, 'up');
    return order.side === 'buy' ? order.notional : cash(0n);
  }

  #unlock({ order, locked }: Row): void {
    this.#move(order.side === 'buy' ? 'mUSD' : order.symbol, locked ?? 0n);
  }

  #move(asset: string, amount: bigint): void {
    if (asset === 'mUSD') this.cash += amount;
    else this.holdings.set(asset, (this.holdings.get(asset) ?? 0n) + amount);
  }

  #read(): void {
    if (this.locked) throw new UnauthorizedError('unauthorized', {}, 'none');
    if (this.readsFail) throw new UnreachableError('connection refused');
  }

  #transaction(): SignedTransaction {
    const nonce = this.rows.length;
    return { chainId: 143, to: '0x01', nonce, raw: '0x02', txHash: hashHex(`tx ${nonce}`) };
  }

  #request(method: 'POST' | 'DELETE', uri: string) {
    return { method, uri, timestamp: this.#clock.now(), nonce: `nonce-${this.sends}`, body: '{}' };
  }
}
