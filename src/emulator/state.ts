import type { Cash, Price, Shares } from '../core/amount.ts';
import type { EpochMs, EpochSeconds } from '../core/brand.ts';
import type { Address, Ticker } from '../domain/instrument.ts';
import type { Side } from '../domain/venue.ts';
import type { Hex } from './chain/call.ts';
import type { ChainEvent } from './chain/events.ts';
import type { FaultRule } from './faults.ts';
import type { Asset } from './ledger.ts';
import type { Shock } from './market/types.ts';
import type {
  DelegationWord,
  Ending,
  MoveWord,
  OperationStatus,
  OperationWord,
  OrderWord,
  RawWord,
} from './words.ts';

export type { Hex };

export type ApiKey = {
  readonly apiKey: string;
  readonly secret: string;
  readonly access: 'READ_ONLY' | 'WRITABLE';
  /** The wallet that `/send` endpoints act for. */
  readonly userAddress: Address;
  /** Whether the venue has taken that wallet from the key: then there is nobody to act for. */
  unbound: boolean;
  active: boolean;
  expiresAt: EpochMs | null;
  /** Compared exactly; an empty one rejects everything. */
  ipWhitelist: readonly string[];
};

export type Delegation = {
  status: DelegationWord;
  /** Of the proxy wallet. */
  readonly delegatee: Address;
  /** Counts the times it was enabled: a signature serves once. */
  nonce: number;
  /** The deadline that `/1ct/prepare` was last asked for. */
  prepared: EpochSeconds | null;
};

export type Account = {
  readonly userAddress: Address;
  readonly privateKey: Hex;
  readonly delegation: Delegation;
  /** Raw right of a spender to take a token from the wallet, in whole units (wads). */
  readonly allowances: { token: Address; spender: Address; amount: bigint }[];
  /** Whether it may sell what it does not have yet: listed, and not restricted since. */
  readonly deferredSell: { whitelisted: boolean; restricted: boolean };
};

/** A wallet that has sent transactions. */
export type Wallet = {
  readonly address: Address;
  /** Of its transactions: the nonce that the next block takes. */
  mined: number;
  /** The block of the last that has one: they are mined in the order of their nonces. */
  lastBlock: EpochMs;
};

/** What became of a transaction in its block. */
export type Receipt = Readonly<{
  /** Why it changed nothing; null when it did what it asked. */
  revert: string | null;
  gasUsed: number;
  events: readonly ChainEvent[];
}>;

/** What a user's wallet has signed beside the call. Fees in wei for a unit of gas; a legacy price is both. */
export type Signed = Readonly<{
  type: 'legacy' | 'eip1559';
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  r: Hex;
  s: Hex;
  yParity: number;
}>;

export type Transaction = {
  readonly hash: Hex;
  /** The wallet that signed: a user's own or its proxy wallet, or the venue's desk. */
  readonly from: Address;
  /** The wallet that it acts for. */
  readonly user: Address | 'venue';
  readonly to: Address;
  readonly nonce: number;
  readonly data: Hex;
  /** Native money that goes with it, in wei. */
  readonly value: bigint;
  /** What it may use at most. */
  readonly gas: number;
  /** Null for the venue's own wallets, whose gas nobody counts. */
  readonly signed: Signed | null;
  /** When its block was mined. Null while it waits. */
  minedAt: EpochMs | null;
  receipt: Receipt | null;
};

/** What a closed order moved: mUSD with fees and shares for a buy, shares and mUSD after fees for a sell. */
export type Settlement = Readonly<{
  txHash: Hex;
  price: Price;
  pay: bigint;
  receive: bigint;
  mintFee: Cash;
  protocolFee: Cash;
}>;

/** The link from a transaction to the API key that sent or recorded it. */
export type Mapping = Readonly<{
  apiKey: string;
  txHash: Hex;
  type: OperationWord;
  createdAt: EpochMs;
}>;

/** From `at` on, the chain tells this of an order; the indexer follows. */
export type OrderChange = Readonly<{ at: EpochMs; word: OrderWord; raw: RawWord | null }>;

export type Order = {
  readonly txHash: Hex;
  readonly orderId: Hex;
  readonly userAddress: Address;
  readonly symbol: Ticker;
  readonly side: Side;
  readonly type: 'market' | 'limit';
  readonly quantity: Shares | null;
  /** Of a market buy, before fees. */
  readonly notional: Cash | null;
  /** Of a limit order. */
  readonly price: Price | null;
  readonly deadline: EpochSeconds;
  /** A sell that locks nothing and leaves a debt of what was executed. */
  readonly deferred: boolean;
  word: OrderWord;
  minedAt: EpochMs | null;
  /** What it can take at most, and locks from being mined to being settled: mUSD with fees for a buy, else shares. */
  readonly reserve: bigint;
  /** Executed so far; becomes money when the order settles. */
  filled: Shares;
  /** Value of what was executed, before fees. */
  cost: Cash;
  /** How it will end, once that is certain. Nothing executes any more. */
  closing: Ending | null;
  /** Whether a cancel was sent and has not failed. */
  canceling: boolean;
  settlement: Settlement | null;
  readonly changes: OrderChange[];
};

/** Something that happens by itself at its time; those of one instant in the order they were set. */
export type Task = Readonly<
  { due: EpochMs } & (
    | { kind: 'mine'; from: Address; nonce: number }
    | { kind: 'settle'; orderId: Hex }
    | { kind: 'expire'; orderId: Hex }
    | { kind: 'desk' }
    | { kind: 'settleOperation'; operationId: Hex }
    /** Its number in the list. */
    | { kind: 'corporateAction'; id: number }
  )
>;

/** From `at` on, the chain tells this of an operation. */
export type OperationChange = Readonly<{ at: EpochMs; word: OperationStatus }>;

/** Cash or stock on its way between wallet and venue. It exists once its transaction has done what it asked. */
export type Operation = {
  readonly operationId: Hex;
  readonly txHash: Hex;
  readonly type: MoveWord;
  readonly userAddress: Address;
  readonly token: Address;
  readonly asset: Asset;
  /** Of the token, that leaves or reaches the wallet. A wad. */
  readonly amount: bigint;
  /** What the cashier gives or takes for it; 0 for stock. */
  readonly credit: Cash;
  readonly fee: Cash;
  readonly isInstant: boolean;
  settleTxHash: Hex | null;
  readonly changes: OperationChange[];
};

/** What decides whether cash moves at once. Wads. */
export type Cashier = {
  creditBuffer: bigint;
  readonly creditBufferCapacity: bigint;
  withdrawalBuffer: bigint;
  readonly withdrawalBufferCapacity: bigint;
  depositPaused: boolean;
  withdrawPaused: boolean;
  /** Whether what is queued fails when its time comes. */
  failing: boolean;
};

/** Something that happens to a stock at the open of its ex-date. Rates and cash are wads; 0 where it has none. */
export type CorporateAction = {
  readonly symbol: Ticker;
  readonly type: 'forward_split' | 'reverse_split' | 'cash_dividend' | 'spin_off';
  /** YYYY-MM-DD, a day with a session. */
  readonly exDate: string;
  readonly oldRate: bigint;
  readonly newRate: bigint;
  readonly cashPerShare: bigint;
  appliedAt: EpochMs | null;
};

export type RequestCount = { received: number; accepted: number; answered: number };

/** Everything the venue knows. Plain data: it is written to disk as it stands. */
export type State = {
  readonly seed: number;
  readonly start: EpochMs;
  /** The instant it has reached. */
  now: EpochMs;
  readonly keys: ApiKey[];
  readonly accounts: Account[];
  /** By holder, bucket and asset (see the ledger). */
  readonly balances: Record<string, bigint>;
  readonly transactions: Transaction[];
  /** Those of them that are in blocks, in the order of the chain. */
  readonly mined: Hex[];
  readonly wallets: Wallet[];
  readonly orders: Order[];
  readonly operations: Operation[];
  readonly cashier: Cashier;
  readonly mappings: Mapping[];
  tasks: Task[];
  shocks: Shock[];
  readonly corporateActions: CorporateAction[];
  /** Nonces of accepted requests, oldest first, as `key nonce`. */
  nonces: { at: EpochMs; id: string }[];
  /** The chain up to `seen` is visible, and with time all that is older than `lagMs`; without a fault, `usualLagMs`. */
  readonly indexer: { readonly usualLagMs: number; lagMs: number; seen: EpochMs };
  faults: { rule: FaultRule; left: number }[];
  readonly requests: Record<string, RequestCount>;
};
