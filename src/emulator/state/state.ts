import type { Cash, Price, Shares } from '../../core/amount.ts';
import type { EpochMs, EpochSeconds } from '../../core/brand.ts';
import type { Address, Ticker } from '../../domain/instrument.ts';
import type { Side } from '../../domain/venue.ts';
import type { Hex } from '../../wallet/routerAbi.ts';
import type { VenueRequest } from './messages.ts';
import type { ChainEvent } from './events.ts';
import type { NodeState } from './nodeFace.ts';
import type { CalendarException } from '../../calendar/index.ts';
import type { ChainLie, FaultRule, OrderRule } from './faultRules.ts';
import type {
  VenueConstants,
  Ending,
  MoveWord,
  OperationStatus,
  OperationWord,
  OrderWord,
  RawWord,
} from './constants.ts';
import type { Asset } from './ledger.ts';
import type { Shock } from '../market/types.ts';

export type { Hex };

export type ApiKey = {
  readonly apiKey: string;
  readonly secret: string;
  access: 'READ_ONLY' | 'WRITABLE';
  /** The wallet that `/send` endpoints act for. */
  readonly userAddress: Address;
  /** True after the venue has unbound the wallet: then there is nobody to act for. */
  unbound: boolean;
  active: boolean;
  expiresAt: EpochMs | null;
  /** Compared exactly; an empty one rejects everything. */
  ipWhitelist: readonly string[];
};

export type Delegation = {
  /** `enable`, `disabled`, or a word that no client knows. */
  status: string;
  /** Address of the proxy wallet. */
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
  /** Permission to sell stock before it is delivered: whitelisted, and not restricted since. */
  readonly deferredSell: { whitelisted: boolean; restricted: boolean };
};

/** A wallet that has sent transactions. */
export type Wallet = {
  readonly address: Address;
  /** Nonce that the next block takes: the number of its mined transactions. */
  mined: number;
  /** The block of the last that has one: they are mined in the order of their nonces. */
  lastBlock: EpochMs;
};

/** Result of a transaction in its block. */
export type Receipt = Readonly<{
  /** Why it changed nothing; null when it did what it asked. */
  revert: string | null;
  gasUsed: number;
  events: readonly ChainEvent[];
}>;

/** Fields that a user's wallet has signed beside the call. Fees in wei for a unit of gas; a legacy price is both. */
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
  /** The wallet that signed: a user's own, its proxy wallet, or the venue's operator. */
  readonly from: Address;
  /** The wallet that it acts for. */
  readonly user: Address | 'venue';
  readonly to: Address;
  readonly nonce: number;
  readonly data: Hex;
  /** Native money that goes with it, in wei. */
  readonly value: bigint;
  /** Gas limit. */
  readonly gas: number;
  /** Null for the venue's own wallets, whose gas nobody counts. */
  readonly signed: Signed | null;
  /** When its block was mined. Null while it waits. */
  minedAt: EpochMs | null;
  receipt: Receipt | null;
  /** Why it will revert, whatever it asks. */
  doom?: string;
  /** False statement of the node about it, until `until`; for ever where that is null. */
  lie?: Readonly<{ how: ChainLie['how']; depth: number; until: EpochMs | null }>;
};

/** Amounts that a closed order moved: mUSD with fees and shares for a buy, shares and mUSD after fees for a sell. */
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

/** Status of an order on the chain from `at` on; the indexer follows. */
export type OrderChange = Readonly<{
  at: EpochMs;
  word: OrderWord;
  raw: RawWord | null;
  /** Settlement that is shown, where it differs from the final one. */
  told?: Settlement;
}>;

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
  /** Most that it can take, locked from mining to settlement: mUSD with fees for a buy, else shares. */
  readonly reserve: bigint;
  /** Executed so far; becomes money when the order settles. */
  filled: Shares;
  /** Value of what was executed, before fees. */
  cost: Cash;
  /** Final status once that is certain. Nothing executes any more. */
  closing: Ending | null;
  /** True after a cancel was sent that has not failed. */
  canceling: boolean;
  /** Until when the one that was sent through the venue can be mined. */
  cancelBy: EpochSeconds | null;
  settlement: Settlement | null;
  /** Amounts settled in parts before. */
  partly: Settlement | null;
  /** Number of settlements, partial and repeated ones included. */
  settled: number;
  /** Fault that applies to it. */
  fate: OrderRule | null;
  readonly changes: OrderChange[];
};

/** Signer of a digest, recovered by the caller of the machine, because recovery is asynchronous. */
export type Recovered = Readonly<{ digest: Hex; signer: Address }>;

/** A request with what only its carrier could work out. `again`: a copy of it, or itself after a delay on the way. */
export type Arrival = Readonly<{ request: VenueRequest; recovered: Recovered | null; again?: true }>;

/** Something that happens by itself at its time; those of one instant in the order they were set. */
export type Task = Readonly<
  { due: EpochMs } & (
    | { kind: 'mine'; from: Address; nonce: number }
    /** A transaction that waits leaves the mempool. */
    | { kind: 'forget'; hash: Hex }
    | { kind: 'settle'; orderId: Hex }
    | { kind: 'expire'; orderId: Hex }
    /** Consequence of a faulty settlement. */
    | { kind: 'payOrder' | 'reverseOrder' | 'restateOrder'; orderId: Hex }
    | { kind: 'desk' }
    /** A request that was long on its way. */
    | { kind: 'arrival'; arrival: Arrival }
    /** By its number in the script. */
    | { kind: 'step'; id: number }
    | { kind: 'reorg' }
    | { kind: 'settleOperation'; operationId: Hex }
    /** Its number in the list. */
    | { kind: 'corporateAction'; id: number }
  )
>;

/** Status of an operation on the chain from `at` on. */
export type OperationChange = Readonly<{ at: EpochMs; word: OperationStatus }>;

/** Cash or stock on its way between wallet and venue. It exists once its transaction has done what it asked. */
export type Operation = {
  readonly operationId: Hex;
  readonly txHash: Hex;
  readonly type: MoveWord;
  readonly userAddress: Address;
  readonly token: Address;
  readonly asset: Asset;
  /** Amount of the token that leaves or reaches the wallet. A wad. */
  readonly amount: bigint;
  /** Amount of mUSD that the cashier gives or takes for it; 0 for stock. */
  readonly credit: Cash;
  readonly fee: Cash;
  readonly isInstant: boolean;
  settleTxHash: Hex | null;
  readonly changes: OperationChange[];
};

/** Buffers that decide whether cash moves at once. Wads. */
export type Cashier = {
  creditBuffer: bigint;
  readonly creditBufferCapacity: bigint;
  withdrawalBuffer: bigint;
  readonly withdrawalBufferCapacity: bigint;
  depositPaused: boolean;
  withdrawPaused: boolean;
  /** True while queued operations fail when their time comes. */
  failing: boolean;
};

/** Something that happens to a stock at the open of its ex-date. Rates and cash are wads; 0 where it has none. */
export type AnnouncedAction = {
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

/** A rule in force: the requests that met its conditions (`met`), and those that triggered it (`struck`). */
export type FaultCount = { readonly rule: FaultRule; met: number; struck: number };

/** A bucket of tokens, one for each request. */
export type RateLimit = {
  readonly perMinute: number;
  readonly burst: number;
  readonly retryAfter: boolean;
  tokens: number;
  at: EpochMs;
};

/** A command that is carried out at its instant, and why it could not be when its time came. */
export type Step = {
  readonly at: EpochMs;
  readonly command: Readonly<{ kind: string; body: unknown }>;
  isDone: boolean;
  error: string | null;
};

/** State that the chain decides. */
export type Kept = Pick<
  State,
  'balances' | 'transactions' | 'mined' | 'wallets' | 'orders' | 'operations' | 'cashier'
>;

export type Fork = Readonly<{
  from: EpochMs;
  returns: boolean;
  kept: Kept;
  tasks: readonly Task[];
  /** By account. */
  allowances: State['accounts'][number]['allowances'][];
}>;

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
  /** Fees, minimums, steps, pages and words, as they are at present. */
  constants: VenueConstants;
  readonly mappings: Mapping[];
  tasks: Task[];
  shocks: Shock[];
  readonly corporateActions: AnnouncedAction[];
  /** Nonces of accepted requests, oldest first, as `key nonce`. */
  nonces: { at: EpochMs; id: string }[];
  /** The chain up to `seen` is visible, and with time all that is older than `lagMs`; without a fault, `usualLagMs`. */
  readonly indexer: { readonly usualLagMs: number; lagMs: number; seen: EpochMs };
  faults: FaultCount[];
  /** Milliseconds by which the venue's clock is ahead of the chain's. */
  clockOffsetMs: number;
  /** Null for as many requests as anyone likes. */
  rateLimit: RateLimit | null;
  /** Transactions go into blocks of every so many ms, and wait so much longer for them. */
  blocks: Readonly<{ everyMs: number; waitMs: number }>;
  /** Missing from what was written before nodes had faces. */
  node?: NodeState;
  readonly requests: Record<string, RequestCount>;
  /** Overrides of the calendar; the later counts. */
  readonly sessions: { readonly exception: CalendarException; readonly hasOpened: boolean }[];
  /** By symbol: quotes and bars show this instant. */
  readonly frozen: Record<string, EpochMs>;
  readonly script: Step[];
  /** The chain forks: at `until` it goes back to what was kept. */
  fork: Fork | null;
  /** After `from` and up to `until` the chain has other blocks than at first. */
  readonly reorgs: Readonly<{ from: EpochMs; until: EpochMs }>[];
};
