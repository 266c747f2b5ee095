import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keepCheckpoint } from '../src/engine/runtime/checkpoints.ts';
import { openSqliteJournal } from '../src/store/sqliteJournal.ts';
import { writeLiveJournal } from './liveJournal.ts';
import { median, type Result } from './result.ts';

/** Sessions of the journals: half a year, and two years. */
const [SOME, MANY] = [120, 480];
const SIZE = { from: '2024-01-02', orders: 20, quotes: 500 };
const ROUNDS = 5;
const DROVER = fileURLToPath(new URL('../bin/main.js', import.meta.url));

/** Makes a process report how much processor time it took, over all its threads. */
const COUNTED =
  'data:text/javascript,import{writeFileSync}from"node:fs";' +
  'process.on("exit",()=>{const{user,system}=process.cpuUsage();writeFileSync(process.env.CPU_FILE,String((user+system)/1e6))})';

/** Measures the processor time of commands without a daemon on journals of half a year and two years, alternating. */
export async function start(): Promise<Result[]> {
  const folder = mkdtempSync(join(tmpdir(), 'drover-bench-'));
  try {
    const times = { none: [] as number[], some: [] as number[], many: [] as number[] };
    const [some, many] = [stateOf(folder, SOME), stateOf(folder, MANY)];
    const pause = (state: string) => cpuOf(folder, ['pause', '--state', state, '--reason', 'bench', '--yes']);
    for (let round = 0; round < ROUNDS; round++) {
      times.none.push(cpuOf(folder, ['--version']));
      times.some.push(pause(some));
      times.many.push(pause(many));
    }
    const [none, short, long] = [median(times.none), median(times.some), median(times.many)];
    const unit = (sessions: number) => `s of processor for \`drover pause\` after ${sessions} sessions`;
    return [
      { name: 'start', value: short, unit: unit(SOME), ratio: { vs: '--version', x: short / none } },
      { name: 'start-growth', value: long, unit: unit(MANY), ratio: { vs: 'start', x: long / short } },
    ];
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** State folder of a run that ended in order after so many sessions. */
function stateOf(folder: string, sessions: number): string {
  const state = join(folder, String(sessions));
  mkdirSync(join(state, 'emulator'), { recursive: true, mode: 0o700 });
  writeFileSync(join(state, 'account'), 'an emulated account\n', { mode: 0o600 });
  const file = join(state, 'journal.sqlite');
  writeLiveJournal(file, { ...SIZE, sessions });
  const journal = openSqliteJournal(file);
  keepCheckpoint(journal);
  journal.close();
  return state;
}

function cpuOf(folder: string, args: readonly string[]): number {
  const file = join(folder, 'cpu');
  const env = { ...process.env, CPU_FILE: file };
  execFileSync(process.execPath, ['--import', COUNTED, DROVER, ...args], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  return Number(readFileSync(file, 'utf8'));
}
