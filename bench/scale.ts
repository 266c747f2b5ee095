import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { timed, type Result } from './result.ts';

const STRATEGIES = 50;
const SYMBOLS_EACH = 10;
/** Listed first and traded: the emulator's other stocks cannot be bought, or not in fractions. */
const NAMED = 'AAPL MSFT NVDA TSLA AMZN GOOGL META SPY QQQ KO JPM F'.split(' ');
const FIRST_INVENTED = 16;
/** Length of the run: five minutes before the session, and the session. */
const MINUTES = 395;
const SAMPLE_MS = 500;

const summary = z.object({
  requests: z.object({ total: z.number() }),
  orders: z.object({ filled: z.number() }),
  reconciliation: z.object({ runs: z.number(), differences: z.number() }),
});

/** A session of 50 strategies with 500 stocks, the emulator in the same process: its load on the venue and the machine. */
export async function scale(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  try {
    const config = join(folder, 'scale.yaml');
    writeFileSync(config, JSON.stringify(configOf(), null, 2));
    const state = join(folder, 'state');
    const drover = fileURLToPath(new URL('../bin/main.js', import.meta.url));
    const args = [drover, 'run', config, '--state', state, '--until', 'close', '--json'];
    let played = { stdout: '', peakMb: NaN };
    const ms = await timed(async () => {
      played = await watched(args);
    });
    const { requests, orders, reconciliation } = summary.parse(JSON.parse(played.stdout));
    return [
      { name: 'scale', value: ms / 1_000, unit: 's for a session of 50 strategies with 500 stocks' },
      { name: 'scale-fills', value: orders.filled, unit: 'orders filled' },
      {
        name: 'scale-differences',
        value: reconciliation.differences,
        unit: `differences in ${reconciliation.runs} comparisons with the venue`,
      },
      { name: 'scale-requests', value: requests.total / MINUTES, unit: 'requests a minute, of 600' },
      { name: 'scale-memory', value: played.peakMb, unit: 'MB at most, the emulator included' },
      {
        name: 'scale-journal',
        value: statSync(join(state, 'journal.sqlite')).size / 1e6,
        unit: 'MB of journal',
      },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Runs the program and samples its memory until it ends: only Linux reports the peak. */
async function watched(args: readonly string[]): Promise<{ stdout: string; peakMb: number }> {
  const run = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'ignore'] });
  let peakMb = NaN;
  const timer = setInterval(() => (peakMb = peakOf(run.pid) ?? peakMb), SAMPLE_MS);
  const stdout = await text(run.stdout);
  clearInterval(timer);
  if (stdout === '') throw new Error(`it printed nothing: drover ${args.slice(1).join(' ')}`);
  return { stdout, peakMb };
}

function peakOf(pid: number | undefined): number | null {
  try {
    const [, kilobytes] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${String(pid)}/status`, 'utf8')) ?? [];
    return kilobytes === undefined ? null : Number(kilobytes) / 1_024;
  } catch {
    return null;
  }
}

/** Polls as usual: one request brings the prices of all stocks. */
function configOf() {
  const invented = STRATEGIES * SYMBOLS_EACH - NAMED.length;
  const symbols = [
    ...NAMED,
    ...Array.from({ length: invented }, (_, at) => `S${String(at + FIRST_INVENTED).padStart(4, '0')}`),
  ];
  return {
    mode: 'emulator',
    emulator: { speed: 'max', stocks: FIRST_INVENTED - 1 + invented },
    limits: {
      orderNotional: '10000',
      positionNotional: '25000',
      grossExposure: '100000',
      ordersPerMinute: 600,
      dayLoss: '5000',
      priceBandBps: 500,
    },
    strategies: Array.from({ length: STRATEGIES }, (_, at) => ({
      id: `mix-${at}`,
      use: 'rebalance',
      capital: '1900',
      params: {
        weights: Object.fromEntries(
          symbols.slice(at * SYMBOLS_EACH, (at + 1) * SYMBOLS_EACH).map((symbol) => [symbol, 0.09]),
        ),
        band: 0.005,
        at: ['open+15m', '12:30', 'close-30m'],
      },
    })),
  };
}
