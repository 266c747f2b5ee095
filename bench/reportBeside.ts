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
import { writeLiveJournal } from './liveJournal.ts';
import { YEAR } from './report.ts';
import { median, timed, type Result } from './result.ts';

const ROUNDS = 8;
/** Reports of a round, one after the other: a request takes 15 to 60 ms by chance, so it takes many for a mean. */
const REPORTS = 4;
/** How often prices are read, in ms: fifty times as often as usual. */
const QUOTES_MS = 100;
/** Requests of the start, which are not measured. */
const STARTED = 40;
const READY_MS = 250;

/** A daemon in a process of its own, on a venue in another. */
type Daemon = Readonly<{ state: string; emulator: ChildProcess; run: ChildProcess }>;

/** Measures the requests of a daemon with a year in its journal while `drover report` reads that year, against those without. */
export async function reportBeside(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  const daemon = await startDaemon(folder);
  try {
    const [values, ratios] = [[] as number[], [] as number[]];
    const reports = async () => {
      for (let report = 0; report < REPORTS; report++) await reported(daemon.state, folder);
    };
    let reportsMs = await timed(reports);
    for (let count = 0; count < ROUNDS; count++) {
      const wait = reportsMs;
      const alone = await requestMs(daemon, () => pause(wait));
      const beside = await requestMs(daemon, async () => {
        reportsMs = await timed(reports);
      });
      values.push(beside);
      ratios.push(beside / alone);
    }
    const ratio = { vs: 'a request without a report beside it', x: median(ratios) };
    const unit = `ms a request of a daemon beside a report of ${(reportsMs / REPORTS / 1_000).toFixed(1)} s`;
    return [{ name: 'report-beside', value: median(values), unit, ratio }];
  } finally {
    for (const child of [daemon.run, daemon.emulator]) {
      child.kill('SIGKILL');
      await once(child, 'close');
    }
    rmSync(folder, { recursive: true });
  }
}

const drover = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawn(process.execPath, [fileURLToPath(new URL('../bin/main.js', import.meta.url)), ...args], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'ignore'],
  });

async function reported(state: string, folder: string): Promise<void> {
  const [code] = (await once(
    drover(['report', '--state', state, '--out', join(folder, 'report.html')]),
    'close',
  )) as [number];
  if (code !== 0) throw new Error(`drover report ended with ${code}`);
}

/** Mean time in ms of the daemon's requests while `work` is done. */
async function requestMs({ state }: Daemon, work: () => Promise<unknown>): Promise<number> {
  const before = await requestsOf(state);
  await work();
  const after = await requestsOf(state);
  return ((after.seconds - before.seconds) / (after.count - before.count)) * 1_000;
}

/** Number of requests of a daemon so far, and the seconds that they took, by its metrics. */
async function requestsOf(state: string): Promise<{ count: number; seconds: number }> {
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

async function startDaemon(folder: string): Promise<Daemon> {
  const state = join(folder, 'state');
  mkdirSync(state, { mode: 0o700 });
  writeLiveJournal(join(state, 'journal.sqlite'), YEAR);
  const emulator = drover(['emulator', '--json', '--start', '2026-06-15T10:00']);
  const info = JSON.parse(await firstLine(emulator.stdout)) as EmulatorInfo;
  const [account] = info.accounts;
  const key = account?.keys.find(({ access }) => access === 'WRITABLE');
  if (!account || !key) throw new Error('the emulator has no key');
  await matchJournal(info, account.userAddress);
  const config = join(folder, 'live.yaml');
  writeFileSync(config, configOf(info, account.userAddress));
  const env = { HOME: folder, DROVER_API_KEY: key.apiKey, DROVER_API_SECRET: key.secret };
  const run = drover(['run', config, '--live', '--state', state], env);
  const daemon = { state, emulator, run };
  while (!(await isReading(daemon))) await pause(READY_MS);
  return daemon;
}

/** Gives the account what the journal ends with: a million, and no stock. */
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

async function firstLine(stream: NodeJS.ReadableStream): Promise<string> {
  const [line] = (await once(createInterface(stream), 'line')) as [string];
  return line;
}

/** True once the daemon asks the venue. @throws when it has ended */
async function isReading({ state, run }: Daemon): Promise<boolean> {
  if (run.exitCode !== null) throw new Error(`drover run ended with ${run.exitCode}`);
  const requests = await requestsOf(state).catch(() => null);
  return requests !== null && requests.count > STARTED;
}

/** Config of a run that reads prices and never trades. */
const configOf = (info: EmulatorInfo, user: string): string => `mode: live
venue: { baseUrl: '${info.baseUrl}', chainId: ${info.chainId}, product: ${info.product}, userAddress: '${user}',
         clock: follow, controlUrl: '${info.controlUrl}' }
polling: { quotesMs: ${QUOTES_MS} }
limits: { orderNotional: '5000', positionNotional: '10000', grossExposure: '20000', ordersPerMinute: 60,
          dayLoss: '500', priceBandBps: 4000, quoteAgeMs: 60000 }
strategies: [{ id: bench, use: dca, capital: '1000000', params: { symbol: SPY, notional: '50', at: '09:31' } }]
`;
