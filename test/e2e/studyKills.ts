import { spawn } from 'node:child_process';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Database } from '../../src/store/sqlite/sqlite.ts';
import type { Random } from '../../src/core/random.ts';
import { seededRandom } from '../../src/core/seededRandom.ts';
import { tradingCalendar } from '../../src/calendar/index.ts';
import { freshDir, root } from './cli.ts';

const PROGRAM = fileURLToPath(new URL('../../dist/bin/main.js', import.meta.url));

/** Daily bars of a random walk as CSV. */
export function barsFile(sessions: number): string {
  const random = seededRandom(11);
  let price = 100;
  const rows = tradingCalendar
    .sessions('2010-01-01', '2024-12-31')
    .slice(0, sessions)
    .map(({ open }) => {
      const first = price;
      price = first * (1 + (random.next() - 0.49) * 0.03);
      const [high, low] = [Math.max(first, price), Math.min(first, price)];
      return `${open},${[first, high, low, price].map((value) => value.toFixed(4)).join(',')},1000`;
    });
  const file = join(freshDir(), 'x.csv');
  writeFileSync(file, `ts,open,high,low,close,volume\n${rows.join('\n')}\n`);
  return file;
}

/** Arguments of a study by TPE with a walk-forward. */
export const studyArgs = (bars: string, study: string, trials: number): readonly string[] =>
  [
    ['optimise', '--strategy', 'sma-cross', '--params', '{"symbol":"X"}', '--bars', `X=${bars}`],
    ['--fill', 'next-open', '--space', '{"fast":{"min":2,"max":40},"slow":{"min":41,"max":160}}'],
    ['--method', 'tpe', '--trials', String(trials), '--walk-forward', '2y/1y'],
    ['--workers', '2', '--study', study, '--json'],
  ].flat();

type Ended = Readonly<{ code: number | null; out: string; err: string }>;

/** Runs the built program like a user; with `killAfterMs` it is killed by SIGKILL at that time. */
export function run(args: readonly string[], killAfterMs?: number): Promise<Ended> {
  const child = spawn(process.execPath, [PROGRAM, ...args], { cwd: root });
  let [out, err] = ['', ''];
  child.stdout.on('data', (chunk: Buffer) => (out += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  return new Promise((resolve) => {
    child.on('close', (code) => {
      clearTimeout(timer);
      resolve({ code, out, err });
    });
  });
}

/** Trials of a study without their times, in numerical order. */
export function trialsIn(file: string): unknown[] {
  const database = new Database(file, { readonly: true });
  try {
    return database
      .prepare(
        'SELECT window, key, number, state, run_id, objectives, why, headline, trades, fees, hex(returns) FROM trials ORDER BY window, number',
      )
      .all();
  } finally {
    database.close();
  }
}

/** Result of a study without times and its file name. */
export const resultOf = ({ out }: Pick<Ended, 'out'>): object => ({
  ...(JSON.parse(out) as object),
  study: '',
  elapsedMs: 0,
});

/** Runs a study to its end through so many kills at random moments. Returns the number of kills that hit it at work. */
export async function throughKills(
  args: readonly string[],
  { kills, longestMs, random }: Readonly<{ kills: number; longestMs: number; random: Random }>,
): Promise<Readonly<{ ended: Ended; met: number }>> {
  const study = args[args.indexOf('--study') + 1] ?? '';
  // On a busy machine a kill can come before the study has begun: then there is nothing to resume yet.
  const next = () => (existsSync(study) ? [...args, '--resume'] : args);
  let met = 0;
  for (let kill = 0; kill < kills; kill++) {
    const { code } = await run(next(), 600 + random.next() * longestMs);
    if (code === null) met++;
  }
  return { ended: await run(next()), met };
}
