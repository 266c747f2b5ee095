import { privateKeyToAccount } from 'viem/accounts';
import type { DividendWay } from '../../domain/corporateAction.ts';
import { WAD } from '../../core/amount.ts';
import type { EpochMs } from '../../core/brand.ts';
import { hashHex } from '../../core/random.ts';
import { ticker, type Address } from '../../domain/instrument.ts';
import { faceOfClient, type Client } from './nodeFace.ts';
import { GENESIS_CONSTANTS, addressOf, cashToken, contracts } from './constants.ts';
import { transfer, type Bucket } from './ledger.ts';
import { listedStocks } from '../market/listings.ts';
import type { Account, ApiKey, Cashier, State, Asset } from './state.ts';

/** `stocks`: number of listed stocks. */
export type GenesisOptions = Readonly<{
  seed: number;
  start: EpochMs;
  indexerLagMs: number;
  stocks?: number | undefined;
  funds?: Funds | undefined;
  dividends?: DividendWay | undefined;
  node?: Client | undefined;
}>;

/** Initial money and stock of the accounts: cash and stock, or cash alone. */
export type Funds = 'all' | 'cash';

/** Number of accounts. The last one only lacks the delegation. */
const ACCOUNTS = 4;
/** Accounts that may sell deferred, and one that was restricted again. */
const DEFERRED = [1, 3];
const RESTRICTED = 3;
/** Allowed caller addresses: the emulator only listens on this machine. */
const LOOPBACK = ['127.0.0.1', '::1', '::ffff:127.0.0.1'];
/** Client software of the chain's nodes. */
const CLIENT: Client = 'monad';
const APPROVED = 1_000_000_000n * WAD;

/** Enough credit for instant deposits of up to 200,000, and the same capacity for tokens. */
const CASHIER: Cashier = {
  creditBuffer: 1_000_000n * WAD,
  creditBufferCapacity: 1_000_000n * WAD,
  withdrawalBuffer: 500_000n * WAD,
  withdrawalBufferCapacity: 1_000_000n * WAD,
  depositPaused: false,
  withdrawPaused: false,
  failing: false,
};

type Holding = Readonly<{ asset: Asset; bucket: Bucket; amount: bigint }>;

/** Initial balances of each account, in whole units. */
const CASH: readonly Holding[] = [
  { asset: 'mUSD', bucket: 'exchange', amount: 100_000n },
  { asset: 'USDC', bucket: 'wallet', amount: 50_000n },
  { asset: 'native', bucket: 'wallet', amount: 100n },
];
const STOCK: readonly Holding[] = [
  { asset: ticker('AAPL'), bucket: 'exchange', amount: 100n },
  { asset: ticker('AAPL'), bucket: 'wallet', amount: 20n },
  { asset: ticker('MSFT'), bucket: 'exchange', amount: 40n },
  { asset: ticker('SPY'), bucket: 'wallet', amount: 10n },
];

/** State of the venue before its first request, determined by its options. */
export function genesis({
  seed,
  start,
  indexerLagMs,
  stocks,
  funds = 'all',
  node = CLIENT,
  dividends,
}: GenesisOptions): State {
  const face = faceOfClient(node);
  const accounts = Array.from({ length: ACCOUNTS }, (_, index) => accountOf({ seed, stocks, index }));
  const balances: Record<string, bigint> = {};
  for (const { userAddress } of accounts)
    for (const { asset, bucket, amount } of funds === 'cash' ? CASH : [...CASH, ...STOCK])
      transfer(balances, {
        asset,
        amount: amount * WAD,
        from: 'venue',
        to: { holder: userAddress, bucket },
      });
  return {
    seed,
    start,
    ...(stocks !== undefined && { stocks }),
    now: start,
    keys: accounts.flatMap((account, index) => keysOf(seed, index, account.userAddress)),
    accounts,
    balances,
    transactions: [],
    mined: [],
    wallets: [],
    orders: [],
    operations: [],
    cashier: { ...CASHIER },
    constants: { ...GENESIS_CONSTANTS, ...(dividends && { dividends: { pays: dividends } }) },
    mappings: [],
    tasks: [],
    shocks: [],
    corporateActions: [],
    nonces: [],
    indexer: { usualLagMs: indexerLagMs, lagMs: indexerLagMs, seen: start },
    faults: [],
    clockOffsetMs: 0,
    rateLimit: null,
    blocks: { everyMs: 1000, waitMs: 0 },
    node: { usual: face, face, walks: [] },
    requests: {},
    sessions: [],
    frozen: {},
    script: [],
    fork: null,
    reorgs: [],
  };
}

function accountOf({
  seed,
  stocks,
  index,
}: Readonly<{ seed: number; stocks: number | undefined; index: number }>): Account {
  const privateKey = hashHex(`account ${seed} ${index}`);
  const delegated = index < ACCOUNTS - 1;
  return {
    userAddress: privateKeyToAccount(privateKey).address,
    privateKey,
    delegation: {
      status: delegated ? 'enable' : 'disabled',
      delegatee: addressOf(`proxy wallet ${seed} ${index}`),
      nonce: delegated ? 1 : 0,
      prepared: null,
    },
    allowances: [cashToken.address, ...listedStocks(stocks).map(({ listing }) => listing.address)].flatMap(
      (token) =>
        [contracts.router, contracts.cashier].map((spender) => ({ token, spender, amount: APPROVED })),
    ),
    deferredSell: { whitelisted: DEFERRED.includes(index), restricted: index === RESTRICTED },
  };
}

const keysOf = (seed: number, index: number, userAddress: Address): ApiKey[] =>
  (['WRITABLE', 'READ_ONLY'] as const).map((access) => ({
    apiKey: hashHex(`api key ${seed} ${index} ${access}`).slice(2, 34),
    secret: hashHex(`secret ${seed} ${index} ${access}`).slice(2),
    access,
    userAddress,
    unbound: false,
    active: true,
    expiresAt: null,
    ipWhitelist: LOOPBACK,
  }));
