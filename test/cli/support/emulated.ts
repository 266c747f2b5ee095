import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { epochMs } from '../../../src/core/brand.ts';
import { VirtualClock } from '../../../src/core/virtualClock.ts';
import { startEmulator, type EmulatorInfo } from '../../../src/emulator/index.ts';
import { drover, type Ran } from './commandLine.ts';

/** Index of the account that may sell deferred from the start. */
const WHITELISTED = 1;
/** Output of a command that begins to wait for the chain or the venue. */
const WAITS = /^(signed|sent): | …$/m;

/** Values in a test's config that replace those the emulator prints. */
export type VenueWords = Readonly<{
  router?: string;
  rpcUrl?: string | null;
  allow?: string;
  limits?: string;
}>;

const ALLOWED = 'deposits, withdrawals, stockMoves, withDeposit, repay';

function configText(info: EmulatorInfo, submission: string, words: VenueWords): string {
  const {
    router = info.contracts.router,
    rpcUrl = info.rpcUrl,
    allow = ALLOWED,
    limits = 'orderNotional: 5000, debt: 5000',
  } = words;
  return `mode: live
submission: ${submission}
venue:
  baseUrl: ${info.baseUrl}
  chainId: ${info.chainId}
  product: ${info.product}
  userAddress: '${info.accounts[WHITELISTED]?.userAddress ?? ''}'
  router: '${router}'
  oneClickRouter: '${info.contracts.oneClickRouter}'
  delegatee: '${info.accounts[WHITELISTED]?.delegatee ?? ''}'
${rpcUrl === null ? '' : `  rpcUrl: ${rpcUrl}\n`}signing: { allow: [${allow}] }
limits: { ${limits} }
strategies: [{ id: one, use: dca, capital: 1000, params: { symbol: SPY, notional: 5 } }]
`;
}

/**
 * An emulator in which time stands still until a command waits, and then passes as fast as possible. `seed`: different in
 * each test file, so that no two send for the same wallet at the same time.
 */
export async function startEmulated(seed: number) {
  const clock = new VirtualClock({ start: epochMs(Date.parse('2026-06-15T14:00:00Z')), pace: 'max' });
  const { info, close } = await startEmulator({ clock, seed, latency: { minMs: 0, maxMs: 0 } });
  let release = clock.hold();
  void clock.run();
  const stand = () => {
    release();
    release = clock.hold();
  };
  const pass = () => release();
  return {
    clock,
    info,
    stand,
    pass,
    async later(ms: number) {
      pass();
      await clock.sleep(ms);
      stand();
    },
    control: async (path: string, body?: object): Promise<unknown> => {
      const headers = { 'content-type': 'application/json' };
      const init = body && { method: 'POST', body: JSON.stringify(body), headers };
      return (await fetch(`${info.controlUrl}${path}`, init)).json();
    },
    async close() {
      clock.stop();
      await close();
    },
  };
}
export type Emulated = Awaited<ReturnType<typeof startEmulated>>;

/** The emulator account that may sell deferred, and command lines that act for it. */
export function accountOf(emulated: Emulated, submission: string, words: VenueWords = {}) {
  const { clock, info, stand, pass } = emulated;
  const account = info.accounts[WHITELISTED];
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  if (!account || !key) throw new Error('no account');
  const { userAddress: user, privateKey } = account;
  const env = { DROVER_API_KEY: key.apiKey, DROVER_API_SECRET: key.secret, DROVER_WALLET_KEY: privateKey };
  const cwd = mkdtempSync(join(tmpdir(), 'drover-'));
  const file = join(cwd, 'account.yaml');
  writeFileSync(file, configText(info, submission, words));
  /** Runs a command to its end. Time stands still again once its result is out. */
  async function run(
    argv: readonly string[],
    signal?: AbortSignal,
    onErr: (text: string) => void = () => undefined,
  ): Promise<Ran> {
    const ran = await drover([...argv, '--config', 'account.yaml', '--json'], {
      env,
      cwd,
      clock,
      onOut: stand,
      ...(signal && { signal }),
      onErr: (text) => {
        if (WAITS.test(text)) pass();
        onErr(text);
      },
    });
    stand();
    return ran;
  }
  return { user, run, key, file };
}
