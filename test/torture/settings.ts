import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseCash, toNumber } from '../../src/core/amount.ts';
import type { EpochMs } from '../../src/core/brand.ts';
import { ticker } from '../../src/domain/instrument.ts';
import type { EmulatorInfo } from '../../src/emulator/index.ts';
import { createMarket } from '../../src/emulator/market/index.ts';
import { root } from '../e2e/cli.ts';
import type { NotificationSide } from './notificationSide.ts';
import type { Spending } from '../simulation/spending.ts';

export type Submission = 'one-click' | 'calldata';

export type Settings = Readonly<{
  runs: number;
  seed: number;
  /** Speed in times real time. */
  speed: number;
  /**
   * `mixed`: on one day in four the wallet sends its own transactions, over one journal with the other days. A transaction
   * not linked to the key by then is not resolved on the other days, because without a node nothing can look it up.
   */
  submission: Submission | 'mixed';
  /** True when venue and node make false statements. */
  lies: boolean;
}>;

/** One account, and the journal of the daemon that trades on it. */
export type AccountSettings = Readonly<{ seed: number; lies: boolean; start: EpochMs }>;

const SYMBOLS = [
  ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'PLUG'],
  ['AMZN', 'GOOGL', 'META', 'SPY', 'AAPL'],
  ['QQQ', 'KO', 'JPM', 'F', 'NVDA'],
] as const;

/** With false statements, the stock of the strategy that wants its position at every quote. */
const INSISTENT = 'META';
/** Capital of that strategy: so little more than its position that the same order sent twice exceeds it. */
const INSISTENT_CAPITAL = '4000';
const INSISTENT_PART = 0.8;
const CHURN_CAPITAL = '22000';
/** Strategy of the orders that the bot holds; other strategies trade its stocks too. */
const GUARDED = { id: 'guarded', capital: '20000', symbols: ['TSLA', 'PLUG', 'KO', 'MSFT'], everyMinutes: 2 };

/** Limits that orders of churn's size never reach; with false statements, twice the insistent position exceeds one. */
const limitsOf = ({ lies }: Pick<Settings, 'lies'>) => ({
  positionNotional: lies ? '5000' : '50000',
  grossExposure: '200000',
});

/** Limits of an account in the daemon's config. */
export function boundsOf({ seed, lies }: AccountSettings): ConstructorParameters<typeof Spending>[0] {
  const market = createMarket({ seed });
  const { positionNotional, grossExposure } = limitsOf({ lies });
  return {
    limits: { positionNotional: parseCash(positionNotional), grossExposure: parseCash(grossExposure) },
    capitals: new Map([
      ...SYMBOLS.map((_, index) => [`churn-${index}`, parseCash(CHURN_CAPITAL)] as const),
      [GUARDED.id, parseCash(GUARDED.capital)] as const,
      ...(lies ? [['insistent', parseCash(INSISTENT_CAPITAL)] as const] : []),
    ]),
    priceAt: (symbol, now) => market.priceAt(symbol, now, []),
  };
}

/** Writes the daemon's config; returns its path and the environment with its keys. */
export function writeConfig(
  dir: string,
  info: EmulatorInfo,
  {
    submission,
    notifications,
    ...settings
  }: AccountSettings & Readonly<{ submission: Submission; notifications: Pick<NotificationSide, 'env'> }>,
) {
  const { positionNotional, grossExposure } = limitsOf(settings);
  const [account] = info.accounts;
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  if (!account || !key) throw new Error('the emulator has no account with a writable key');
  const file = join(dir, 'torture.yaml');
  writeFileSync(
    file,
    `mode: live
submission: ${submission}
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${account.userAddress}'
  clock: follow
  controlUrl: ${info.controlUrl}
  requestsPerMinute: 6000
${submission === 'calldata' ? `  router: '${info.contracts.router}'\n  rpcUrl: ${info.rpcUrl}\n` : ''}state: ./state
limits: { orderNotional: '8000', positionNotional: '${positionNotional}', grossExposure: '${grossExposure}', ordersPerMinute: 600,
          dayLoss: '50000', priceBandBps: 500, quoteAgeMs: 60000 }
notify:
  channels:
    - { id: hook, kind: webhook, hears: [alarm, orderEnd, fill, stateChange, daySummary], digest: { over: 100 } }
polling: { quotesMs: 5000, ordersMs: 5000, restingMs: 10000, accountMs: 20000 }
strategies:
${linesOf({ ...settings, submission }).join('\n')}
`,
  );
  const env = {
    DROVER_API_KEY: key.apiKey,
    DROVER_API_SECRET: key.secret,
    ...notifications.env,
    ...(submission === 'calldata' ? { DROVER_WALLET_KEY: account.privateKey } : {}),
  };
  return { file, env, userAddress: account.userAddress };
}

/**
 * Share of quotes on which a strategy acts. A wallet sends one transaction after the other: more plans than it can send
 * would only be cancelled before.
 */
const EAGERNESS: Readonly<Record<Submission, number>> = { 'one-click': 0.9, calldata: 0.15 };

const linesOf = (given: AccountSettings & Readonly<{ submission: Submission }>): string[] => [
  ...SYMBOLS.map((symbols, index) => churnLine({ index, symbols, ...given })),
  guardedLine(given),
  ...(given.lies ? [insistentLine(given)] : []),
];

/** Strategies of every account. */
export const STRATEGY_IDS: readonly string[] = [...SYMBOLS.map((_, index) => `churn-${index}`), GUARDED.id];

type Line = AccountSettings & Readonly<{ index: number; symbols: readonly string[]; submission: Submission }>;

function churnLine({ index, symbols, seed, submission, lies }: Line): string {
  const own = symbols.filter((symbol) => !lies || symbol !== INSISTENT).join(', ');
  return (
    `  - { id: churn-${index}, use: ${join(root, 'dist/torture/strategies/torture/churn.js')}, capital: '${CHURN_CAPITAL}', params: ` +
    `{ salt: '${seed} ${index}', symbols: [${own}], eagerness: ${EAGERNESS[submission]} } }`
  );
}

function guardedLine({ seed }: AccountSettings): string {
  const { id, capital, symbols, everyMinutes } = GUARDED;
  return (
    `  - { id: ${id}, use: ${join(root, 'dist/torture/strategies/simulation/guarded.js')}, capital: '${capital}', params: ` +
    `{ salt: 'guarded ${seed}', symbols: [${symbols.join(', ')}], everyMinutes: ${everyMinutes} } }`
  );
}

function insistentLine({ seed, start }: AccountSettings): string {
  const price = toNumber(createMarket({ seed }).priceAt(ticker(INSISTENT), start, []));
  const shares = Math.floor((INSISTENT_PART * Number(INSISTENT_CAPITAL)) / price);
  return (
    `  - { id: insistent, use: ${join(root, 'test/simulation/insistent.ts')}, capital: '${INSISTENT_CAPITAL}', params: ` +
    `{ symbol: ${INSISTENT}, shares: ${shares}, swingMinutes: 3 } }`
  );
}
