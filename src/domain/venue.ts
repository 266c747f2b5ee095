import type { Cash, Price, Shares } from '../core/amount.ts';
import type { EpochMs, EpochSeconds } from '../core/brand.ts';
import type { DroverError } from '../core/errors.ts';
import type { Bar, Interval } from './bar.ts';
import type { CorporateAction } from './corporateAction.ts';
import type { Address, Instrument, Quote, Ticker } from './instrument.ts';

export type Side = 'buy' | 'sell';

/**
 * What an order asks for. A market buy is by notional: the venue takes no other. Only on a plain simulated exchange it is of
 * exact shares; `notional` is then what they cost at the quote. A limit order is always DAY.
 */
export type OrderTerms = Readonly<
  { symbol: Ticker; stock: Address } & (
    | { type: 'market'; side: 'buy'; notional: Cash; quantity?: Shares }
    | { type: 'market'; side: 'sell'; quantity: Shares }
    | { type: 'limit'; side: Side; quantity: Shares; price: Price }
  )
>;

/** Source of what an order by hand delivers, where that does not lie at the venue. Strategies place no such orders. */
type OrderFunding = Readonly<
  /** Shares that are delivered later and owed until then; sells only. */
  | { kind: 'deferred' }
  /** Deposit from the wallet in the same transaction, as a wad: of a cash token for a buy, of the stock (`token` null) for a sell. */
  | { kind: 'deposit'; token: Address | null; amount: bigint }
>;

/** Terms of an order with its funding; without one it is paid from the balance at the venue. */
export type FundedTerms = OrderTerms & Readonly<{ funding?: OrderFunding }>;

/** The exact request that asks the venue to send. */
export type SignedRequest = Readonly<{
  method: 'POST' | 'DELETE';
  /** Signed path with its sorted query. */
  uri: string;
  timestamp: EpochMs;
  nonce: string;
  /** Raw body, byte for byte; empty when there is none. */
  body: string;
}>;

/** The exact transaction that the wallet sends by itself. */
export type SignedTransaction = Readonly<{
  chainId: number;
  to: Address;
  /** Its place in the wallet's row of transactions. */
  nonce: number;
  /** Signed bytes in hex. Whoever has them can send this transaction, and nothing else. */
  raw: string;
  /** By which the chain knows it; a function of `raw`. */
  txHash: string;
}>;

/** Exact bytes and nonce of a send. The journal stores them before the first byte leaves. */
export type SignedSend = SignedRequest | SignedTransaction;

/**
 * Stands between a free slot and the first byte (`place` and `cancel` call it in this order, and wait for nothing between):
 * `open` re-checks everything and gives the deadline, or the reason to send nothing; `commit` makes the exact
 * bytes durable. When `commit` throws, nothing is sent.
 *
 * What takes time to prepare for a deadline opens the gate twice: first for the deadline, and with `prepared`, that
 * very deadline, just before `commit`. The second answer is the same deadline again, or the reason why it does not stand.
 * Whatever either of them throws ends the send before its first byte, and is thrown by it.
 */
export interface SendGate {
  open(prepared?: EpochSeconds): { deadline: EpochSeconds } | { stop: string };
  commit(request: SignedSend): void;
  /** Receives the outcome of a send whose response came after its time limit. It is not a second send. */
  late?(outcome: SendOutcome): void;
}

/**
 * Outcome of a send. `unknown`: the venue may have it, and only the venue's lists can show whether it does. `error`: the failure
 * of a request, for messages; nothing is decided by it, and no journal keeps it.
 */
export type SendOutcome = Readonly<
  | { kind: 'accepted'; txHash: string }
  /**
   * `alarm`: what the venue wanted done instead is for a person to look at. `unproven`: true of the copy that was
   * answered; had the way there doubled the request, the other copy would be an order. `unsent`: no byte left this
   * machine, so that nobody's word has to be believed. `session`: the one in which the venue says it is, in its words,
   * when that is why.
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
  /** The gate said stop, or the wallet can send nothing: no byte left. `alarm`: a person has to look. */
  | { kind: 'stopped'; reason: string; alarm?: boolean; error?: DroverError }
>;

/** Amounts moved by a settled order. A buy pays mUSD, fees included, and receives shares; a sell the reverse, after fees. */
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

/** Terms of an order as the venue reports them, for matching. */
export type ReportedTerms = Readonly<{
  symbol: Ticker;
  side: Side;
  type: 'market' | 'limit';
  quantity: Shares | null;
  notional: Cash | null;
  price: Price | null;
}>;

/** The venue's account of one order, from a list row or a detail. */
export type OrderReport = Readonly<{
  txHash: string;
  orderId: string | null;
  status: VenueStatus;
  /** Status in the venue's own words, for people and for unknown words. */
  rawStatus: string;
  /** Time at which the venue linked the transaction, in whole seconds. */
  createdAt: EpochMs;
  /** Null while only the link is known. */
  terms: ReportedTerms | null;
  /** Amount locked while the order is open: mUSD for a buy, shares for a sell. */
  locked: bigint | null;
  settlement: Settlement | null;
  /** Why it reverted, where the chain was asked. */
  cause?: string;
}>;

/** The chain's word that it has no trace of a transaction. */
export type Absence = Readonly<{
  /** Time of the newest block that was known before the question. */
  at: EpochMs;
  /** Another transaction has been mined with its nonce: it can be mined no more. */
  isReplaced: boolean;
}>;

/** A row that could not be read, and only it is set aside: `reason`, and `unreadable` with the raw row, which may change. */
export type UnreadableRow = Readonly<{ unreadable: string; reason: string; txHash: string | null }>;

export type OrderPage = Readonly<{ total: number; rows: readonly (OrderReport | UnreadableRow)[] }>;

/** Shares of one stock, on the exchange and in the wallet; `contract` where the venue names it. */
export type StockHolding = Readonly<{ exchange: Shares; wallet: Shares; contract?: Address }>;

/** Balances net of locks. */
export type AccountReport = Readonly<{
  cash: Cash;
  holdings: ReadonlyMap<Ticker, StockHolding>;
  /** Further rows of a stock, by another contract than the one in `holdings`: they are never counted. */
  apart?: readonly (readonly [Ticker, StockHolding])[];
  /** Cash tokens of the wallet by address in lower case, in whole units as wads; absent where the venue does not report them. */
  tokens?: ReadonlyMap<Address, bigint>;
  /**
   * Amounts, in whole units as wads, that `spender` may take out of the wallet, by the address of the token in lower case;
   * absent where no spender is known.
   */
  allowances?: Readonly<{ spender: Address; of: ReadonlyMap<Address, bigint> }>;
  /** Shares owed after deferred sells; absent when nobody asked. */
  debts?: ReadonlyMap<Ticker, Shares>;
}>;

export type BarQuery = Readonly<{
  symbol: Ticker;
  interval: Interval;
  /** Bars that start at or after. */
  from?: EpochMs;
  /** Bars that start before. */
  to: EpochMs;
  limit: number;
}>;

/** Days such as 2026-06-15, both inclusive. */
export type ActionQuery = Readonly<{ from: string; to: string }>;

/** Terms of `GET /config`: fees in hundredths of a percent by name, null where it states none, and the cash tokens. */
export type VenueTerms = Readonly<{
  fees: Readonly<Record<string, number>> | null;
  cashTokens: readonly Readonly<{ symbol: string; address: Address; decimals: number | null }>[];
}>;

/** Listing of a stock: instrument and latest price in one response. */
export type Listing = Readonly<{ instrument: Instrument; quote: Quote }>;

/**
 * The venue as the engine sees it; the real one, the emulator and the simulated one stand behind it. Reads throw
 * `DroverError`s whose `effect` is `none`; `place` and `cancel` never throw for what the venue or the network does.
 */
export interface Venue {
  listings(): Promise<readonly Listing[]>;
  /** Finished and forming bars, ascending by start. */
  bars(query: BarQuery): Promise<readonly Bar[]>;
  account(): Promise<AccountReport>;
  /** Splits and dividends by their ex-date; absent where the venue does not report them. */
  corporateActions?(query: ActionQuery): Promise<readonly CorporateAction[]>;
  /** Newest first. `page` counts from 1. */
  orders(query: { page: number; limit: number }): Promise<OrderPage>;
  /** Null when the venue does not (yet) know it. */
  orderByTx(txHash: string): Promise<OrderReport | null>;
  /**
   * Null when the chain has a trace of the transaction, mined or waiting. `nonce`: of one that the wallet has signed itself.
   * Only where the chain itself can be read.
   */
  absence?(txHash: string, nonce?: number): Promise<Absence | null>;
  /** State of One Click, and its proxy wallet (delegatee) where there is one. */
  delegation(): Promise<{ enabled: boolean; status: string; delegatee?: string }>;
  /** Fees and cash tokens. Only where the venue states them. */
  terms?(): Promise<VenueTerms | null>;
  /** The venue's time minus ours, by its latest answer; null before the first. */
  offsetMs?(): number | null;
  place(terms: FundedTerms, gate: SendGate): Promise<SendOutcome>;
  cancel(orderId: string, gate: SendGate): Promise<SendOutcome>;
}
