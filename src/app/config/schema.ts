import { z } from 'zod';
import { DIVIDEND_WAYS } from '../../domain/corporateAction.ts';
import { DAY_READINGS } from '../../domain/instrument.ts';
import { RESTS } from '../../engine/intents/terms.ts';
import { ALLOWED_ORDERS } from '../../engine/strategy/trading.ts';
import { WARM_UP_POLICIES } from '../../engine/strategy/warmUp.ts';
import { seriesName } from '../../strategy/dataNeeds.ts';
import { ALLOWED_GROUPS } from '../../api/allowList.ts';
import {
  assumptions,
  dryRun,
  allow,
  exits,
  external,
  isolation,
  orders,
  polling,
  stockTraits,
  tokenFields,
  trade,
  treasury,
} from './sections.ts';
import { address, baseUrl, cashAmount, cashOrNone, filePath, instant, calendar } from './fields.ts';
import { controlSection } from './control.ts';
import { fetchSection } from './fetch.ts';
import { limits, strategyLimits } from './limits.ts';
import { notifySection } from './notify.ts';
import { jsonSchemaOf, type JsonSchema } from './problems.ts';

const MODES = ['emulator', 'dry-run', 'live'] as const;
const PRODUCTS = ['ProductA', 'ProductB'] as const;
const SUBMISSIONS = ['one-click', 'calldata'] as const;
const LOG_LEVELS = ['debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

const venue = z.strictObject({
  baseUrl: baseUrl().describe(
    'Address of the venue, up to but not including /api/v1. https, or http on this machine.',
  ),
  chainId: z.int().positive().describe('Chain that the API key is for, such as 143.'),
  product: z.enum(PRODUCTS).describe('Product that the API key is for. Upper and lower case matter.'),
  userAddress: address().describe('Wallet that the API key is bound to.'),
  oneClickRouter: address()
    .optional()
    .describe('The only contract that `drover oneclick enable` may sign for, if set.'),
  delegatee: address()
    .optional()
    .describe(
      'Proxy wallet that One Click may send through. `drover oneclick enable` signs for no other; while the venue names another, nothing is sent.',
    ),
  contracts: z
    .record(z.string(), address())
    .optional()
    .describe(
      'The one contract of each stock named here, such as { TSLA: 0x… }. While the venue lists another, nothing is sent for that stock.',
    ),
  spender: address()
    .optional()
    .describe('Contract that the wallet approves for deposits and repayments, if it is not venue.router.'),
  router: address()
    .optional()
    .describe('The contract that orders call. `submission: calldata` signs for no other.'),
  rpcUrl: baseUrl()
    .optional()
    .describe(
      'A node of the chain (JSON-RPC). Needed for `submission: calldata`; with one-click it only proves the outcome of an order.',
    ),
  clock: z
    .enum(['system', 'follow'])
    .default('system')
    .describe('`follow`: use the clock of a separate emulator. Only on this machine.'),
  controlUrl: baseUrl().optional().describe('Control address of that emulator. Only with `clock: follow`.'),
  dayEnds: z
    .enum(DAY_READINGS)
    .optional()
    .describe(
      'When a DAY order that arrives outside the regular session ends here: with its `phase`, its `tradingDay` (20:00), or at the `nextClose`. ' +
        'Default: unknown, so it counts as live until the latest of these times. The run cancels it at the end of its phase in any case.',
    ),
  ...tokenFields,
  extendedHours: z
    .boolean()
    .optional()
    .describe(
      'Whether stocks trade in pre and post here. Default: those that the venue lists as tradable overnight do.',
    ),
  assumptions: assumptions
    .optional()
    .describe(
      'How this venue differs where its documentation leaves something open: `drover doctor --probe` says what to write here.',
    ),
  requestsPerMinute: z
    .int()
    .min(10)
    .max(10_000)
    .default(600)
    .describe('Maximum requests a minute. A share is reserved for sends and for tracking orders.'),
  keyFile: filePath()
    .optional()
    .describe(
      'File that holds the API key, readable by you alone. DROVER_API_KEY in the environment takes precedence.',
    ),
  secretFile: filePath()
    .optional()
    .describe('File that holds the API secret, readable by you alone. DROVER_API_SECRET takes precedence.'),
  secretName: z
    .string()
    .optional()
    .describe('Name of the API secret in the key store (`drover keys`). Environment and file come first.'),
  walletKeyFile: filePath()
    .optional()
    .describe('File that holds the wallet key, readable by you alone. DROVER_WALLET_KEY takes precedence.'),
  walletKeyName: z
    .string()
    .optional()
    .describe('Name of the wallet key in the key store (`drover keys`). Environment and file come first.'),
});

const emulator = z.strictObject({
  start: instant()
    .prefault('2026-06-15T09:25')
    .describe('When the emulated day starts: New York time, or a time with a zone.'),
  speed: z
    .union([z.number().positive().max(100_000), z.literal('max')])
    .default(60)
    .describe('Multiple of real speed; `max` jumps from one event to the next.'),
  nights: z
    .enum(['wait', 'skip'])
    .default('wait')
    .describe(
      '`skip`: from ten minutes after a close to five minutes before the next open, time runs at speed `max`. Nothing is left out.',
    ),
  funds: z
    .enum(['all', 'cash'])
    .default('all')
    .describe('What the account starts with: 100,000 mUSD with 100 AAPL and 40 MSFT, or `cash` alone.'),
  seed: z.int().min(0).max(4_294_967_295).default(1).describe('The same seed gives the same prices.'),
  indexerLagMs: z
    .int()
    .min(0)
    .max(3_600_000)
    .optional()
    .describe('Time until the emulated indexer shows a new order, in ms.'),
  dividends: z
    .enum(DIVIDEND_WAYS)
    .optional()
    .describe('How the emulated venue pays dividends. Default: `cash`. No tax is withheld.'),
  stocks: z
    .int()
    .min(15)
    .max(5_000)
    .optional()
    .describe('Number of listed stocks; those beyond 15 are invented, S0016, S0017 and so on. Default: 15.'),
});

/** Highest gas limit of a transaction by EIP-7825: nodes refuse a higher one. (Monad accepts 30,000,000.) */
const TRANSACTION_GAS_MAX = 16_777_216;

export const WEI_PER_GWEI = 1e9;

/** Default limits on gas costs: in native tokens, and in percent of an order. */
type GasDefaults = Readonly<{ perTransaction: string; perDay: string; percentOfOrder: number }>;

const GAS_DEFAULTS: ReadonlyMap<number, GasDefaults> = new Map([
  [1, { perTransaction: '0.02', perDay: '0.1', percentOfOrder: 5 }],
  [143, { perTransaction: '0.3', perDay: '25', percentOfOrder: 1 }],
]);

/** Native token of an unlisted chain, assumed to be worth about as much as ether. */
const OTHER_GAS: GasDefaults = { perTransaction: '0.005', perDay: '0.05', percentOfOrder: 1 };

export const gasDefaults = (chainId: number): GasDefaults => GAS_DEFAULTS.get(chainId) ?? OTHER_GAS;

const defaultsText = (key: keyof GasDefaults): string =>
  `${gasDefaults(1)[key]} on chain 1 (Ethereum), ${gasDefaults(143)[key]} on 143 (Monad), ${gasDefaults(0)[key]} on any other`;

const gas = z.strictObject({
  maxFeePerGasGwei: z
    .number()
    .min(1 / WEI_PER_GWEI)
    .max(1_000_000)
    .default(500)
    .describe(
      'Maximum price of a unit of gas, in gwei, such as 0.5. Nothing is sent while the chain asks for more.',
    ),
  limit: z
    .int()
    .min(21_000)
    .max(
      TRANSACTION_GAS_MAX,
      `must be at most ${TRANSACTION_GAS_MAX}, the most gas that a transaction may have (EIP-7825)`,
    )
    .default(2_000_000)
    .describe('Maximum gas of one transaction.'),
  marginPercent: z
    .int()
    .min(0)
    .max(200)
    .default(25)
    .describe("Gas given to a transaction beyond the chain's own estimate, in percent."),
  perTransaction: cashAmount()
    .optional()
    .describe(
      `Maximum cost of one transaction, in the chain's own token. Default: ${defaultsText('perTransaction')}.`,
    ),
  perDay: cashAmount()
    .optional()
    .describe(
      `Maximum cost of all transactions signed since 20:00 New York time, in the chain's own token; a quarter of it is reserved for sells and cancels. Default: ${defaultsText('perDay')}.`,
    ),
  percentOfOrder: z
    .number()
    .min(0.001)
    .max(100)
    .optional()
    .describe(
      `Maximum gas cost of an order, in percent of its value, if gas.nativePrice is set. Protective sells always pass. Default: ${defaultsText('percentOfOrder')}.`,
    ),
  nativePrice: cashAmount()
    .optional()
    .describe(
      "Price of the chain's own token in mUSD, for gas.percentOfOrder: no other source states it. Without it that limit is not checked.",
    ),
});

const signing = z.strictObject({
  allow: z
    .array(z.enum(ALLOWED_GROUPS))
    .max(ALLOWED_GROUPS.length)
    .default([])
    .describe(
      'What may be signed besides reads, orders and cancels. Everything else is off unless it is named here.',
    ),
});

/** Names that `--of` and `--strategy` use for the whole account, all strategies, and unallocated assets. */
const RESERVED_IDS: readonly string[] = ['account', 'strategies', 'unallocated'];
const RESERVED = `must not be ${RESERVED_IDS.join(', ')}: in commands these words mean something else`;

const strategy = z.strictObject({
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,39}$/, 'must be lower-case letters, digits and hyphens, at most 40')
    .refine((id) => !RESERVED_IDS.includes(id), RESERVED)
    .describe(
      'Name of this instance. Its orders and state are kept under it: do not rename it while it holds stock.',
    ),
  use: z
    .string()
    .min(1)
    .describe('A bundled strategy by its name, or a file (./my.ts) with a default export.'),
  capital: cashOrNone().describe(
    'mUSD that this strategy may use; with 0 it only sells what it has. No strategy touches the money of another.',
  ),
  params: z.record(z.string(), z.unknown()).default({}).describe("The strategy's own parameters."),
  series: z
    .record(seriesName(), filePath())
    .optional()
    .describe(
      'Files of the dated series that it asks for, by name, such as { earnings: ./earnings.csv }. A run rereads a file when it changes.',
    ),
  fetch: fetchSection()
    .optional()
    .describe(
      'Addresses whose text a run fetches for it, by name, such as { mood: { url: https://host/path, everySeconds: 300, maxKb: 64 } }: ' +
        '`everySeconds` from 10 to 86,400 (default 300), `maxKb` from 1 to 1,024 (default 64).',
    ),
  allow: allow(),
  allowOrders: z
    .array(z.enum(ALLOWED_ORDERS))
    .max(ALLOWED_ORDERS.length)
    .default([])
    .describe(
      'Special orders that this strategy may give. `depositsBeforeSells`: sells with depositFirst, before which stock ' +
        'of the wallet is deposited, within the caps of treasury.stockForSells. `deferredSells`: deferred sells of stock of the ' +
        'wallet, which treasury.repayDebt repays; needs limits.debt.',
    ),
  rest: z
    .enum(RESTS)
    .optional()
    .describe(
      'What happens to stocks that an `order.rebalance` of this strategy omits, unless the call says so: `sell` or `keep`. Default: `sell`; ' +
        'in a state folder begun with 0.8.0 or earlier such a rebalance is refused until either says it.',
    ),
  warmUp: z
    .enum(WARM_UP_POLICIES)
    .optional()
    .describe(
      'If bars of its warm-up are missing at the start: `require` refuses to start, `wait` shows it bars and ignores its orders ' +
        'until they are complete, `allow` lets it decide at once. Default: `require` in live, else `wait`.',
    ),
  trade: trade().optional().describe("Phases in which it trades. Default: the run's `trade`."),
  limits: strategyLimits.optional().describe('Limits of this strategy, in addition to those of the account.'),
});

/** Schema of a whole config file. A value refused here is reported with its line and never reaches the runner. */
export const configSchema = z.strictObject({
  mode: z
    .enum(MODES)
    .default('emulator')
    .describe(
      '`emulator` trades on this machine, `live` for real. `dry-run` reads real prices, and orders and account are simulated: nothing is sent.',
    ),
  submission: z
    .enum(SUBMISSIONS)
    .default('one-click')
    .describe(
      "`one-click`: the venue sends orders for the wallet. `calldata`: the wallet signs and sends each by itself; live, it needs venue.router, venue.rpcUrl and the wallet's key.",
    ),
  venue: venue
    .optional()
    .describe('The venue. Needed in dry-run and live; the emulator mode brings its own.'),
  emulator: emulator.prefault({}).describe('The emulated venue of `mode: emulator`.'),
  dryRun: dryRun
    .optional()
    .describe('The simulated account of `mode: dry-run`, which needs it. It opens with cash and no stock.'),
  state: filePath()
    .optional()
    .describe('Folder for everything that must survive a restart. Needed in dry-run and live.'),
  data: z
    .strictObject({
      dir: filePath()
        .optional()
        .describe("Folder for market data. Default: drover/data where this user's programs keep their data."),
    })
    .prefault({})
    .describe('Stored bars, for backtests.'),
  limits: limits.prefault({}).describe('Limits of every order. `live` needs them all.'),
  trade: trade()
    .prefault(['regular'])
    .describe(
      'Phases in which orders are sent: `regular`, and any of `pre`, `post` and `overnight` where the stock trades in them. ' +
        'Outside the regular session all orders are limit orders.',
    ),
  stocks: z
    .record(z.string(), stockTraits)
    .prefault({})
    .describe('Hours, dividends and tokens of single stocks, such as { TSLA: { trade: [regular, post] } }.'),
  polling: polling.prefault({}).describe('Polling intervals.'),
  orders: orders.prefault({}).describe('Terms of the orders that are sent.'),
  exits: exits.prefault({}).describe('Stops and other exits that the run holds.'),
  calendar: calendar.prefault({}).describe('Sessions that the calendar of this program does not know.'),
  treasury: treasury
    .prefault({})
    .describe('Automatic transfers from the wallet to the venue. All are off unless set.'),
  external: external
    .prefault({})
    .describe('Whether changes of the account outside drover raise an alarm or are expected.'),
  signing: signing.prefault({}).describe('What may be signed with the key and the wallet.'),
  stop: z
    .enum(['leave', 'cancel'])
    .default('leave')
    .describe(
      'What happens to resting orders when the run is stopped: left at the venue (a DAY order ends at the close), or cancelled.',
    ),
  gas: gas.prefault({}).describe('Limits on the cost of a transaction of `submission: calldata`.'),
  control: controlSection
    .prefault({})
    .describe('The control API of a run: status, commands and events for your own programs.'),
  notify: notifySection.prefault({}).describe('Messages to people during a run, and a heartbeat.'),
  isolation: isolation
    .prefault({})
    .describe('Limits on the threads of strategies. Backtests run strategies without threads.'),
  strategies: z
    .array(strategy)
    .min(1, 'must have at least one entry')
    .max(100)
    .describe(
      'The strategies that run, such as `- { id: savings, use: dca, capital: 1000, params: { symbol: SPY, notional: 50 } }`.',
    ),
  log: z
    .strictObject({
      level: z.enum(LOG_LEVELS).default('info').describe('Lowest severity that is logged.'),
      file: filePath().optional().describe('File for the log. Default: drover.log in the state folder.'),
      maxMb: z
        .int()
        .min(1)
        .max(100_000)
        .default(50)
        .describe(
          'Size at which a new file is started, in MB. The full one becomes `drover.log.1`, and so on.',
        ),
      keep: z.int().min(1).max(1_000).default(7).describe('Full files to keep; the oldest is deleted.'),
    })
    .prefault({})
    .describe('The log.'),
});

/** Amounts as wads, times as epoch ms, paths absolute. */
export type RunConfig = Readonly<z.output<typeof configSchema>>;
export type VenueConfig = Readonly<z.output<typeof venue>>;
export type LimitsConfig = Readonly<z.output<typeof limits>>;

/** JSON Schema by which editors complete and check config files: `config/drover.schema.json`. */
export const configJsonSchema = (): JsonSchema & Readonly<{ title: string }> => ({
  title: 'drover config',
  ...jsonSchemaOf(configSchema),
});
