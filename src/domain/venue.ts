import type { Cash, Price, Shares } from '../core/amount.ts';
import type { EpochMs, EpochSeconds } from '../core/brand.ts';
import type { DroverError } from '../core/errors.ts';
import type { Bar, Interval } from './bar.ts';
import type { CorporateAction } from './corporateAction.ts';
import type { Address, Instrument, Quote, Ticker } from './instrument.ts';
import type { EndCode } from './orders/endCode.ts';
import type { TokenQuote, TokenMultipliers } from './premium.ts';

export type Side = 'buy' | 'sell';

type TermsWith<Funding> = Readonly<
  { symbol: Ticker; stock: Address; funding?: Funding } & (
    | { type: 'market'; side: 'buy'; notional: Cash; quantity?: Shares }
    | { type: 'market'; side: 'sell'; quantity: Shares }
    | { type: 'limit'; side: Side; quantity: Shares; price: Price }
  )
>;

/** Shares that are delivered later and owed until then; sells only. */
type DeferredFunding = Readonly<{ kind: 'deferred' }>;

/**
 * Terms of an order. A market buy is by notional: the venue accepts no other. Only on a plain simulated exchange is it
 * for exact shares, and `notional` is then their cost at the quote. A limit order is always DAY. Without a funding, it
 * is paid from the balance at the venue.
 */
export type OrderTerms = TermsWith<DeferredFunding>;

/** Source of an order's shares or cash, if not the venue. Only manual orders include a deposit. */
type OrderFunding = Readonly<
  | DeferredFunding
  /**
   * Deposit from the wallet in the same transaction, as a wad: of a cash token for a buy, of the stock (`token` null)
   * for a sell.
   */
  | { kind: 'deposit'; token: Address | null; amount: bigint }
>;

/** Terms of an order with any funding. */
export type FundedTerms = TermsWith<OrderFunding>;

/** Exact request for the venue to send. */
export type SignedRequest = Readonly<{
  method: 'POST' | 'DELETE';
  /** Signed path with its sorted query. */
  uri: string;
  timestamp: EpochMs;
  nonce: string;
  /** Raw body, byte for byte; empty if there is none. */
  body: string;
}>;

/** Exact transaction that the wallet sends itself. */
export type SignedTransaction = Readonly<{
  chainId: number;
  to: Address;
  /** Number of the transaction in the wallet's sequence. */
  nonce: number;
  /** Signed bytes in hex. Anyone who has them can send this transaction, and nothing else. */
  raw: string;
  /** Hash of the transaction on the chain; a function of `raw`. */
  txHash: string;
}>;

/** Exact bytes and nonce of a send. The journal stores them before the first byte is sent. */
export type SignedSend = SignedRequest | SignedTransaction;

/**
 * Gate between a free slot and the first byte (`place` and `cancel` call it in this order, without waiting in between):
 * `open` checks everything again and returns the deadline, or the reason to send nothing; `commit` makes the exact
 * bytes durable. If `commit` throws, nothing is sent.
 *
 * A send that takes time to prepare opens the gate twice: first for the deadline, then with that deadline as
 * `prepared`, just before `commit`. The second answer is the same deadline, or the reason why it no longer holds.
 * `worth`: value of an order in mUSD, of which its gas may cost a fraction; absent for an order to be sent at any gas
 * cost. If either throws, the send ends before its first byte and throws the same error.
 */
export interface SendGate {
  open(prepared?: EpochSeconds): { deadline: EpochSeconds; worth?: Cash } | { stop: string };
  commit(request: SignedSend): void;
  /** Receives the outcome of a send whose response came after its time limit. It is not a second send. */
  late?(outcome: SendOutcome): void;
}

/**
 * Outcome of a send. `unknown`: the venue may have it, and only the venue's lists can show that. `error`: the failure
 * of a request, for messages; nothing is decided by it, and no journal stores it.
 */
export type SendOutcome = Readonly<
  | { kind: 'accepted'; txHash: string }
  /**
   * `alarm`: a person must look at what the venue asked for instead. `unproven`: applies to the copy that was answered;
   * if the network duplicated the request, the other copy could be an order. `unsent`: no byte was sent, so the refusal
   * is certain. `session`: the session that the venue says it is in, if that is the reason.
   */
  | {
      kind: 'refused';
      reason: string;
      alarm?: boolean;
      unproven?: boolean;
      unsent?: boolean;
      session?: string;
      error?: DroverError;
    }
  | { kind: 'unknown'; reason: string; error?: DroverError }
  /** The gate refused, or the wallet cannot send: no byte was sent. `alarm`: a person must look. */
  | { kind: 'stopped'; reason: string; code?: EndCode; alarm?: boolean; error?: DroverError }
>;

/** Amounts moved by a settled order. A buy pays mUSD including fees and receives shares; a sell the reverse, net of fees. */
export type Settlement = Readonly<{
  price: Price;
  pay: bigint;
  receive: bigint;
  mintFee: Cash;
  protocolFee: Cash;
  txHash: string | null;
}>;

/** Status of an order at the venue. `pending`: only the link from transaction to key exists yet. */
export type VenueStatus =
  | 'pending'
  | 'open'
  | 'canceling'
  | 'filled'
  | 'cancelled'
  | 'expired'
  | 'rejected'
  | 'reverted'
  | 'unrecognised';

/** Terms of an order as reported by the venue, for matching. */
export type ReportedTerms = Readonly<{
  symbol: Ticker;
  side: Side;
  type: 'market' | 'limit';
  quantity: Shares | null;
  notional: Cash | null;
  price: Price | null;
  /** True for a deferred sell; absent for any other, and in rows of 0.7.0 and earlier. */
  deferred?: true;
}>;

/** The venue's report of an order, from a list row or a detail. */
export type OrderReport = Readonly<{
  txHash: string;
  orderId: string | null;
  status: VenueStatus;
  /** Status in the venue's own words, for people and for unknown statuses. */
  rawStatus: string;
  /** Time at which the venue linked the transaction, in whole seconds. */
  createdAt: EpochMs;
  /** Terms of the order; null while only the link is known. */
  terms: ReportedTerms | null;
  /** Amount locked while the order is open: mUSD for a buy, shares for a sell. */
  locked: bigint | null;
  settlement: Settlement | null;
  /** Reason why it reverted, if the chain was asked. */
  cause?: string;
}>;

/** Report that the chain has no trace of a transaction. A wallet's own one was not mined either: its nonce shows that. */
export type Absence = Readonly<{
  /** Time of the newest block known before the chain was queried. */
  at: EpochMs;
  /** True if another transaction was mined with its nonce, so that it can no longer be mined. */
  isReplaced: boolean;
}>;

/** A row that could not be read. `unreadable`: reason and raw row, which may change from read to read. */
export type UnreadableRow = Readonly<{ unreadable: string; reason: string; txHash: string | null }>;

export type OrderPage = Readonly<{ total: number; rows: readonly (OrderReport | UnreadableRow)[] }>;

/** Shares of one stock, at the exchange and in the wallet; `contract` if the venue states it. */
export type StockHolding = Readonly<{ exchange: Shares; wallet: Shares; contract?: Address }>;

/** Balances net of locks. */
export type AccountReport = Readonly<{
  cash: Cash;
  holdings: ReadonlyMap<Ticker, StockHolding>;
  /** Further rows of a stock, with a contract other than the one in `holdings`: they never count. */
  apart?: readonly (readonly [Ticker, StockHolding])[];
  /** Cash tokens in the wallet by lower-case address, in whole units as wads; absent if the venue does not report them. */
  tokens?: ReadonlyMap<Address, bigint>;
  /**
   * Amounts that `spender` may take from the wallet, in whole units as wads, by lower-case token address; absent if no
   * spender is known.
   */
  allowances?: Readonly<{ spender: Address; of: ReadonlyMap<Address, bigint> }>;
  /** Shares owed after deferred sells; absent if not requested. */
  debts?: ReadonlyMap<Ticker, Shares>;
}>;

export type BarQuery = Readonly<{
  symbol: Ticker;
  interval: Interval;
  /** Bars that start at or after this. */
  from?: EpochMs;
  /** Bars that start before this. */
  to: EpochMs;
  limit: number;
}>;

/** Dates of a query, such as 2026-06-15, both inclusive. */
export type ActionQuery = Readonly<{ from: string; to: string }>;

/** Terms in `GET /config`: fees in hundredths of a percent by name (null if none are stated), and the cash tokens. */
export type VenueTerms = Readonly<{
  fees: Readonly<Record<string, number>> | null;
  cashTokens: readonly (Readonly<{ symbol: string; address: Address; decimals: number | null }> &
    Partial<CashierTerms>)[];
}>;

/** Terms of moving a cash token between wallet and venue, as far as the venue states them (else null): amounts as wads. */
export type CashierTerms = Readonly<{
  deposit: Readonly<{ isPaused: boolean; least: bigint; feeBps: number; mostAtOnce: bigint | null }>;
  withdrawal: Readonly<{ isPaused: boolean; feeBps: number; mostAtOnce: bigint | null }>;
}>;

/** Listing of a stock: instrument and latest price in one response. */
export type Listing = Readonly<{
  instrument: Instrument;
  quote: Quote;
  over24h?: Over24h;
}>;

/** Price change over 24 hours (0.01 is 1 %), and the volume, in an undocumented unit; absent if the venue states none. */
export type Over24h = Readonly<{ change24h?: number; volume24h?: number }>;

/**
 * The engine's port to the venue, implemented by the real and the simulated one. Reads throw `DroverError`s whose
 * `effect` is `none`; `place` and `cancel` never throw for faults of the venue or the network.
 */
export interface Venue {
  listings(): Promise<readonly Listing[]>;
  /** Finished and forming bars, ascending by start. */
  bars(query: BarQuery): Promise<readonly Bar[]>;
  /** Prices of a share and of its token on the chain, in addition to the list's. */
  tokenQuote?(symbol: Ticker): Promise<TokenQuote>;
  /** Multipliers stated by a token's contract. Only if the chain itself can be read. */
  tokenMultipliers?(token: Address): Promise<TokenMultipliers>;
  account(): Promise<AccountReport>;
  /** Splits and dividends by their ex-date; absent if the venue does not report them. */
  corporateActions?(query: ActionQuery): Promise<readonly CorporateAction[]>;
  /** Orders, newest first. `page` counts from 1. */
  orders(query: { page: number; limit: number }): Promise<OrderPage>;
  /** Report of an order; null if the venue does not know it (yet). */
  orderByTx(txHash: string): Promise<OrderReport | null>;
  /**
   * Absence of a transaction on the chain; null if the chain has it, mined or waiting, or may still mine it; undefined
   * if the chain does not say what used its nonce. `nonce`: of a transaction that the wallet signed itself. Only if the
   * chain itself can be read.
   */
  absence?(txHash: string, nonce?: number): Promise<Absence | null | undefined>;
  /** State of One Click, and its proxy wallet (delegatee) if there is one. */
  delegation(): Promise<{ enabled: boolean; status: string; delegatee?: string }>;
  /** Fees and cash tokens. Only if the venue states them. */
  terms?(): Promise<VenueTerms | null>;
  /** The venue's clock minus ours in ms, from its latest answer; null before the first. */
  offsetMs?(): number | null;
  place(terms: FundedTerms, gate: SendGate): Promise<SendOutcome>;
  cancel(orderId: string, gate: SendGate): Promise<SendOutcome>;
}
