import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { setTimeout as pause } from 'node:timers/promises';
import type { EmulatorInfo } from '../src/emulator/index.ts';
import { writeLiveJournal, type JournalSize } from './liveJournal.ts';

/** Requests during the start, after which a daemon counts as running. */
const STARTED = 40;
const READY_MS = 250;

/** A daemon in its own process, on a venue in another. `folder`: contains its state. */
export type Daemon = Readonly<{ folder: string; state: string; run: ChildProcess }>;

type DaemonOptions = Readonly<{
  /** Size of the journal that the daemon starts with. */
  journal: JournalSize;
  /** How often it reads prices, in ms. */
  quotesMs: number;
  flags?: readonly string[];
}>;

/** Runs `work` with a daemon that reads prices and never trades, then ends it. */
export async function withDaemon<T>(
  options: DaemonOptions,
  work: (daemon: Daemon) => Promise<T>,
): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  const children: ChildProcess[] = [];
  try {
    return await work(await startDaemon(folder, options, children));
  } finally {
    for (const child of children.toReversed()) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    rmSync(folder, { recursive: true });
  }
}

/** Starts the built program; its stderr is discarded. */
export const drover = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, [fileURLToPath(new URL('../bin/main.js', import.meta.url)), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });

async function startDaemon(
  folder: string,
  options: DaemonOptions,
  children: ChildProcess[],
): Promise<Daemon> {
  const { journal, quotesMs, flags = [] } = options;
  const state = join(folder, 'state');
  mkdirSync(state, { mode: 0o700 });
  writeLiveJournal(join(state, 'journal.sqlite'), journal);
  const emulator = drover(['emulator', '--json', '--start', '2026-06-15T10:00']);
  children.push(emulator);
  const info = JSON.parse(await firstLine(emulator.stdout)) as EmulatorInfo;
  const [account] = info.accounts;
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  if (!account || !key) throw new Error('the emulator has no key');
  await matchJournal(info, account.userAddress);
  const config = join(folder, 'live.yaml');
  writeFileSync(config, configOf(info, account.userAddress, quotesMs));
  const env = { HOME: folder, DROVER_API_KEY: key.apiKey, DROVER_API_SECRET: key.secret };
  const run = drover(['run', config, '--live', '--state', state, ...flags], env);
  children.push(run);
  const daemon = { folder, state, run };
  while (!(await isReading(daemon))) await pause(READY_MS);
  return daemon;
}

/** Gives the account the balances at the end of the journal: a million, and no stock. */
async function matchJournal({ controlUrl }: EmulatorInfo, userAddress: string): Promise<void> {
  for (const [asset, amount] of [
    ['mUSD', '900000'],
    ['AAPL', '-100'],
    ['MSFT', '-40'],
  ] as const) {
    const body = JSON.stringify({ userAddress, asset, amount });
    const headers = { 'content-type': 'application/json' };
    const { ok } = await fetch(`${controlUrl}/move`, { method: 'POST', headers, body });
    if (!ok) throw new Error(`the emulator did not move ${asset}`);
  }
}

/** First line that a program prints. */
export async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  const [line] = (await once(createInterface(stream), 'line')) as [string];
  return line;
}

/** True once the daemon requests from the venue. @throws when it has ended */
async function isReading(daemon: Daemon): Promise<boolean> {
  const { run } = daemon;
  if (run.exitCode !== null) throw new Error(`drover run ended with ${run.exitCode}`);
  const requests = await requestsOf(daemon).catch(() => null);
  return requests !== null && requests.count > STARTED;
}

/** Number of requests of a daemon so far, and the seconds they took, from its metrics. */
export async function requestsOf({ state }: Daemon): Promise<{ count: number; seconds: number }> {
  const asked = request({ socketPath: join(state, 'control.sock'), path: '/metrics' }).end();
  const [response] = (await once(asked, 'response')) as [NodeJS.ReadableStream];
  const lines = (await text(response)).split('\n');
  const sum = (name: string) =>
    lines
      .filter((line) => line.startsWith(`${name}{`))
      .reduce((total, line) => total + Number(line.split(' ').at(-1)), 0);
  const of = 'drover_request_duration_seconds';
  return { count: sum(`${of}_count`), seconds: sum(`${of}_sum`) };
}

/** Config of a run that reads prices and never trades. */
const configOf = (info: EmulatorInfo, user: string, quotesMs: number): string => `mode: live
venue: { baseUrl: '${info.baseUrl}', chainId: ${info.chainId}, product: ${info.product}, userAddress: '${user}',
         clock: follow, controlUrl: '${info.controlUrl}' }
polling: { quotesMs: ${quotesMs} }
limits: { orderNotional: '5000', positionNotional: '10000', grossExposure: '20000', ordersPerMinute: 60,
          dayLoss: '500', priceBandBps: 4000, quoteAgeMs: 60000 }
strategies: [{ id: bench, use: dca, capital: '1000000', params: { symbol: SPY, notional: '50', at: '09:31' } }]
`;
