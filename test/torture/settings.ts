import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { EmulatorInfo } from '../../src/emulator/index.ts';
import { root } from '../e2e/cli.ts';

export type Submission = 'one-click' | 'calldata';

export type Settings = Readonly<{
  runs: number;
  seed: number;
  /** Times real speed. */
  speed: number;
  /**
   * `mixed`: one day in four has the wallet send by itself, over one journal with the others. A transaction of its own that is
   * not linked to the key by then is not resolved on the other days: without a node nobody can ask for it.
   */
  submission: Submission | 'mixed';
}>;

const SYMBOLS = [
  ['AAPL', 'MSFT', 'NVDA', 'TSLA', 'PLUG'],
  ['AMZN', 'GOOGL', 'META', 'SPY', 'AAPL'],
  ['QQQ', 'KO', 'JPM', 'F', 'NVDA'],
] as const;

/** Writes the config of the daemon, and gives back its path and the environment that holds its keys. */
export function writeConfig(
  dir: string,
  info: EmulatorInfo,
  { submission, seed }: Pick<Settings, 'seed'> & Readonly<{ submission: Submission }>,
) {
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
limits: { orderNotional: '5000', positionNotional: '50000', grossExposure: '200000', ordersPerMinute: 600,
          dayLoss: '50000', priceBandBps: 500, quoteAgeMs: 60000 }
polling: { quotesMs: 5000, ordersMs: 5000, restingMs: 10000, accountMs: 20000 }
strategies:
${SYMBOLS.map((symbols, index) => strategyLine({ index, symbols, seed, submission })).join('\n')}
`,
  );
  const env = {
    ...{ DROVER_API_KEY: key.apiKey, DROVER_API_SECRET: key.secret },
    ...(submission === 'calldata' ? { DROVER_WALLET_KEY: account.privateKey } : {}),
  };
  return { file, env, userAddress: account.userAddress };
}

/**
 * Part of the quotes on which a strategy acts. A wallet sends one transaction after the other: more plans than it can send
 * would only be cancelled before they are.
 */
const EAGERNESS: Readonly<Record<Submission, number>> = { 'one-click': 0.9, calldata: 0.15 };

type Line = Readonly<{ index: number; symbols: readonly string[]; seed: number; submission: Submission }>;

const strategyLine = ({ index, symbols, seed, submission }: Line): string =>
  `  - { id: churn-${index}, use: ${join(root, 'test/torture/churn.ts')}, allow: [crypto], capital: '30000', params: ` +
  `{ salt: '${seed} ${index}', symbols: [${symbols.join(', ')}], eagerness: ${EAGERNESS[submission]} } }`;
