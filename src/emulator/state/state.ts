import type { Cash, Price, Shares } from '../../core/amount.ts';
import type { EpochMs, EpochSeconds } from '../../core/brand.ts';
import type { Address, Ticker } from '../../domain/instrument.ts';
import type { Settlement as SettledAmounts, Side } from '../../domain/venue.ts';
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
import type { Shock } from '../market/types.ts';
import type { PriceAction } from '../market/shocks.ts';

export type { Hex };

export type ApiKey = {
  readonly apiKey: string;
  readonly secret: string;
  access: 'READ_ONLY' | 'WRITABLE';
  /** The wallet that `/send` endpoints act for. */
  readonly userAddress: Address;
  /** True after the venue has unbound the wallet: the key then acts for no wallet. */
  unbound: boolean;
  active: boolean;
  expiresAt: EpochMs | null;
  /** Addresses of permitted callers, compared exactly; an empty list rejects everything. */
  ipWhitelist: readonly string[];
};

export type Delegation = {
  /** `enable`, `disabled`, or a word unknown to clients. */
  status: string;
  /** Address of the proxy wallet. */
  readonly delegatee: Address;
  /** Number of times it was enabled, so that each signature works only once. */
  nonce: number;
  /** Deadline of the last `/1ct/prepare`. */
  prepared: EpochSeconds | null;
};

export type Account = {
  readonly userAddress: Address;
  readonly privateKey: Hex;
  readonly delegation: Delegation;
  /** Allowances of spenders for tokens of the wallet, in whole units (wads). */
  readonly allowances: { token: Address; spender: Address; amount: bigint }[];
  /** Permission to sell stock before delivery: whitelisted, and not restricted since. */
  readonly deferredSell: { whitelisted: boolean; restricted: boolean };
};

/** A wallet that has sent transactions. */
export type Wallet = {
  readonly address: Address;
  /** Nonce that the next block accepts: the number of mined transactions. */
  mined: number;
  /** Block of the last scheduled transaction: they are mined in nonce order. */
  lastBlock: EpochMs;
};

/** Result of a transaction in its block. */
export type Receipt = Readonly<{
  /** Cause of a revert; null when the transaction succeeded. */
  revert: string | null;
  gasUsed: number;
  events: readonly ChainEvent[];
}>;

/** Signed fields besides the call. Fees in wei per unit of gas; a legacy price is used for both. */
export type SignatureFields = Readonly<{
  type: 'legacy' | 'eip1559';
  maxFeePerGas: bigint;
  maxPriorityFeePerGas: bigint;
  r: Hex;
  s: Hex;
  yParity: number;
}>;

export type Transaction = {
  readonly hash: Hex;
  /** Wallet that signed: a user's own, its proxy wallet, or the venue's operator. */
  readonly from: Address;
  /** Wallet that the transaction acts for. */
  readonly user: Address | 'venue';
  readonly to: Address;
  readonly nonce: number;
  readonly data: Hex;
  /** Native money sent along, in wei. */
  readonly value: bigint;
  /** Gas limit. */
  readonly gas: number;
  /** Null for the venue's own wallets, which are not charged for gas. */
  readonly signed: SignatureFields | null;
  /** Time of its block. Null while it is pending. */
  minedAt: EpochMs | null;
  receipt: Receipt | null;
  /** Cause of a revert imposed by a fault. */
  doom?: string;
  /** True if it is executed even after its deadline. */
  pastDeadline?: boolean;
  /** True if neither list nor node shows it before it is mined. */
  hidden?: boolean;
  /** False statement of the node about it, until `until`; null for ever. */
  lie?: Readonly<{ how: ChainLie['how']; depth: number; until: EpochMs | null }>;
};

/** Amounts moved by a closed order: mUSD with fees and shares for a buy, shares and mUSD after fees for a sell. */
export type Settlement = Omit<SettledAmounts, 'txHash'> & Readonly<{ txHash: Hex }>;

/** The link from a transaction to the API key that sent or recorded it. */
export type Mapping = Readonly<{
  apiKey: string;
  txHash: Hex;
  type: OperationWord;
  createdAt: EpochMs;
}>;

/** On-chain status of an order from `at` on; the indexer follows later. */
export type OrderChange = Readonly<{
  at: EpochMs;
  word: OrderWord;
  raw: RawWord | null;
  /** Settlement shown instead of the final one. */
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
  /** Notional of a market buy, before fees. */
  readonly notional: Cash | null;
  /** Limit price. */
  readonly price: Price | null;
  readonly deadline: EpochSeconds;
  /** True for a sell that locks nothing and leaves the executed shares as debt. */
  readonly deferred: boolean;
  word: OrderWord;
  minedAt: EpochMs | null;
  /** Amount locked from mining to settlement: mUSD with fees for a buy, else shares. */
  readonly reserve: bigint;
  /** Shares executed so far, which are exchanged at settlement. */
  filled: Shares;
  /** Notional executed so far, before fees. */
  cost: Cash;
  /** Final status once it is certain. Nothing executes after that. */
  closing: Ending | null;
  /** True after a cancel was sent, unless it failed. */
  canceling: boolean;
  /** Deadline of the cancel sent through the venue. */
  cancelBy: EpochSeconds | null;
  settlement: Settlement | null;
  /** Amounts of earlier partial settlements. */
  partly: Settlement | null;
  /** Number of settlements, partial and repeated ones included. */
  settled: number;
  /** Fault that applies to the order. */
  fate: OrderRule | null;
  readonly changes: OrderChange[];
};

/** Signer of a digest, recovered by the caller of the machine because recovery is asynchronous. */
export type RecoveredSigner = Readonly<{ digest: Hex; signer: Address }>;

/** A request with values that only the front can compute. `again`: a copy of a request, or a delayed one. */
export type Arrival = Readonly<{ request: VenueRequest; recovered: RecoveredSigner | null; again?: true }>;

/** A task with its time; tasks of the same instant run in the order in which they were scheduled. */
export type Task = Readonly<
  { due: EpochMs } & (
    | { kind: 'mine'; from: Address; nonce: number }
    /** Expiry of a pending transaction. */
    | { kind: 'forget'; hash: Hex }
    | { kind: 'settle'; orderId: Hex }
    | { kind: 'expire'; orderId: Hex }
    /** Consequence of a faulty settlement. */
    | { kind: 'payOrder' | 'reverseOrder' | 'restateOrder'; orderId: Hex }
    | { kind: 'desk' }
    /** A delayed request. */
    | { kind: 'arrival'; arrival: Arrival }
    /** `id` is its index in the script. */
    | { kind: 'step'; id: number }
    | { kind: 'reorg' }
    | { kind: 'settleOperation'; operationId: Hex }
    /** `id` is its index in the list. */
    | { kind: 'corporateAction'; id: number }
  )
>;

/** On-chain status of an operation from `at` on. */
export type OperationChange = Readonly<{ at: EpochMs; word: OperationStatus }>;

/** A move of cash or stock between wallet and venue. It exists once its transaction has succeeded. */
export type Operation = {
  readonly operationId: Hex;
  readonly txHash: Hex;
  readonly type: MoveWord;
  readonly userAddress: Address;
  readonly token: Address;
  readonly asset: Asset;
  /** Amount of the token that leaves or reaches the wallet. A wad. */
  readonly amount: bigint;
  /** mUSD that the cashier pays or takes for it; 0 for stock. */
  readonly credit: Cash;
  readonly fee: Cash;
  readonly isInstant: boolean;
  settleTxHash: Hex | null;
  readonly changes: OperationChange[];
};

/** Buffers that decide whether cash moves immediately. Wads. */
export type Cashier = {
  creditBuffer: bigint;
  readonly creditBufferCapacity: bigint;
  withdrawalBuffer: bigint;
  readonly withdrawalBufferCapacity: bigint;
  depositPaused: boolean;
  withdrawPaused: boolean;
  /** True while queued operations fail when they are due. */
  failing: boolean;
};

/** A corporate action at the open of its ex-date. */
export type AnnouncedAction = PriceAction & {
  /** YYYY-MM-DD, a day with a session. */
  readonly exDate: string;
  appliedAt: EpochMs | null;
  /** Factor by which a payment in tokens increased balances, as a wad; absent for any other action. */
  growth?: bigint;
};

export type RequestCount = { received: number; accepted: number; answered: number };

/** An active rule with the number of requests that met its conditions (`met`) and that triggered it (`struck`). */
export type FaultCount = { readonly rule: FaultRule; met: number; struck: number };

/** Token bucket of the rate limit: one token per request. */
export type RateLimit = {
  readonly perMinute: number;
  readonly burst: number;
  readonly retryAfter: boolean;
  tokens: number;
  at: EpochMs;
};

/** A command scheduled for an instant, and its error if it failed. */
export type Step = {
  readonly at: EpochMs;
  readonly command: Readonly<{ kind: string; body: unknown }>;
  isDone: boolean;
  error: string | null;
};

/** The part of the state determined by the chain. */
export type KeptState = Pick<
  State,
  'balances' | 'transactions' | 'mined' | 'wallets' | 'orders' | 'operations' | 'cashier'
>;

export type Fork = Readonly<{
  from: EpochMs;
  returns: boolean;
  kept: KeptState;
  tasks: readonly Task[];
  allowances: State['accounts'][number]['allowances'][];
}>;

/** The complete state of the venue. Plain data, written to disk unchanged. */
export type State = {
  readonly seed: number;
  readonly start: EpochMs;
  /** Number of listed stocks; missing if they are those with real names. */
  readonly stocks?: number;
  /** The instant reached so far. */
  now: EpochMs;
  readonly keys: ApiKey[];
  readonly accounts: Account[];
  /** Balances by holder, bucket and asset (see the ledger). */
  readonly balances: Record<string, bigint>;
  readonly transactions: Transaction[];
  /** Hashes of mined transactions, in chain order. */
  readonly mined: Hex[];
  readonly wallets: Wallet[];
  readonly orders: Order[];
  readonly operations: Operation[];
  readonly cashier: Cashier;
  /** Current fees, minimums, ticks, page sizes and words. */
  constants: VenueConstants;
  readonly mappings: Mapping[];
  tasks: Task[];
  shocks: Shock[];
  readonly corporateActions: AnnouncedAction[];
  /** Nonces of accepted requests, oldest first, as `key nonce`. */
  nonces: { at: EpochMs; id: string }[];
  /** Visible part of the chain: all up to `seen`, and everything older than `lagMs`; without a fault, `usualLagMs`. */
  readonly indexer: { readonly usualLagMs: number; lagMs: number; seen: EpochMs };
  faults: FaultCount[];
  /** Milliseconds by which the venue's clock is ahead of the chain's. */
  clockOffsetMs: number;
  /** Null for no limit. */
  rateLimit: RateLimit | null;
  /** Interval of blocks that include transactions, and the additional wait before them. Milliseconds. */
  blocks: Readonly<{ everyMs: number; waitMs: number }>;
  /** Missing from states written before nodes differed. */
  node?: NodeState;
  readonly requests: Record<string, RequestCount>;
  /** Overrides of the calendar; later ones take precedence. */
  readonly sessions: { readonly exception: CalendarException; readonly hasOpened: boolean }[];
  /** Instant at which quotes and bars were frozen, by symbol. */
  readonly frozen: Record<string, EpochMs>;
  readonly script: Step[];
  /** The branch that will be abandoned, with the state before it. */
  fork: Fork | null;
  /** Replaced ranges of blocks: after `from`, up to and including `until`. */
  readonly reorgs: Readonly<{ from: EpochMs; until: EpochMs }>[];
};

/** mUSD in the cashier, the cash token, native money, or a stock. */
export type Asset = 'mUSD' | 'USDC' | 'native' | Ticker;
