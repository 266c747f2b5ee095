import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import type { Session } from '../../src/calendar/index.ts';
import { epochMs, toIso } from '../../src/core/brand.ts';
import { checkpointFile } from '../../src/store/integrity.ts';
import { readJournal } from '../../src/store/readJournal.ts';
import { root, start, type Done } from '../e2e/cli.ts';
import type { Venue } from '../e2e/venue.ts';
import { NO_LIES } from '../simulation/allowances.ts';
import { booksOf } from '../simulation/checkpoints.ts';
import { writeLiveConfig } from './bracketLife.ts';
import { JournalSide } from './journalSide.ts';
import { judgeEnd } from './judge.ts';
import { isStarted } from './life.ts';

/**
 * Moments of a checkpoint: its entry is written and its file is not, half of the file is, all of it is and may not be on the disk, it has
 * no name yet, and it has its name and was never read.
 */
export const MOMENTS = ['before', 'within', 'unsynced', 'unnamed', 'after'] as const;
export type Moment = (typeof MOMENTS)[number];

/** Kills a process (SIGKILL) at a moment of its first checkpoint. */
const SOURCE = `
import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const moment = process.env.DIE_AT;
const dieIf = (...moments) => moments.includes(moment) && process.kill(process.pid, 'SIGKILL');
const isIts = (file) => String(file).endsWith('journal.sqlite-checkpoint.new');
const { openSync, writeSync, fsyncSync, renameSync } = fs;
let its = null;
fs.openSync = (file, ...rest) => {
  if (!isIts(file)) return openSync(file, ...rest);
  dieIf('before');
  return (its = openSync(file, ...rest));
};
fs.writeSync = (descriptor, bytes, ...rest) => {
  if (descriptor !== its || moment !== 'within') return writeSync(descriptor, bytes, ...rest);
  writeSync(descriptor, bytes, 0, Math.floor(bytes.length / 2));
  dieIf('within');
};
fs.fsyncSync = (descriptor) => {
  if (descriptor === its) dieIf('unsynced');
  fsyncSync(descriptor);
};
fs.renameSync = (from, to) => {
  if (isIts(from)) dieIf('unnamed');
  renameSync(from, to);
  if (isIts(from)) dieIf('after');
};
syncBuiltinESMExports();
`;

/** Ways to spoil the file of a checkpoint, and what a start says of each; null for nothing, because an older one is as true. */
const SPOILS = [
  { say: /checkpoint was left out \(entry \d+ of the journal is about another one\)/, spoil: otherDigit },
  { say: /checkpoint was left out \(it is of version 0\.0\.1 1\)/, spoil: otherVersion },
  { say: null, spoil: olderOne },
  { say: /checkpoint was left out/, spoil: (bytes: Buffer) => bytes.subarray(0, 20) },
] as const;

function otherDigit(bytes: Buffer): Buffer {
  const at = bytes.indexOf('"$n":"') + 6;
  return Buffer.concat([bytes.subarray(0, at), Buffer.from('7'), bytes.subarray(at + 1)]);
}

function otherVersion(bytes: Buffer): Buffer {
  return Buffer.concat([Buffer.from('["0.0.1 1",1]'), bytes.subarray(bytes.indexOf('\n'))]);
}

function olderOne(_bytes: Buffer, older: Buffer): Buffer {
  return older;
}

/** Time in ms at the venue from the start of a process to the close, and of a step: below every time limit by far. */
const BEFORE_MS = 40_000;
const STEP_MS = 100;
/** Real ms of a step at least: a process on a busy machine must not fall behind by more than a signature is good for. */
const PACE_MS = 5;
/** Steps that a process lives for after its predecessor has died. */
const STEPS = 40;
/** The same for the last process, so that every order ends. */
const LAST_STEPS = 600;
/** Exit code of a run that ends before all its orders have. */
const UNSETTLED = 1;
/** Most steps in which a process must have met its death. */
const STEPS_MAX = 3_000;

/** A run at an emulated venue, over the processes that die while they keep its checkpoints. */
export class CheckpointDeaths {
  readonly faults: string[] = [];
  kills = 0;
  spoiled = 0;
  readonly #dir: string;
  readonly #venue: Venue;
  readonly #config: Readonly<{ file: string; env: Readonly<Record<string, string>> }>;
  readonly #journal: string;
  /** Entry from which the next start should continue. */
  #from = 1;
  /** What a start has to say of the checkpoint that is there; null for nothing. */
  #say: RegExp | null = null;
  #older: Readonly<{ from: number; bytes: Buffer }> | null = null;

  constructor(dir: string, venue: Venue) {
    this.#dir = dir;
    this.#venue = venue;
    this.#config = writeLiveConfig(dir, venue.info, IN_TURNS);
    this.#journal = join(dir, 'state', 'journal.sqlite');
    writeFileSync(join(dir, 'dying.mjs'), SOURCE);
  }

  /** Kills a process at a moment of the checkpoint of a session's close, and lets another one continue. */
  async day({ close }: Session, moment: Moment): Promise<void> {
    await this.#venue.control('/clock', { to: toIso(epochMs(close - BEFORE_MS)) });
    const preload = pathToFileURL(join(this.#dir, 'dying.mjs')).href;
    const dead = await this.#live({ NODE_OPTIONS: `--import ${preload}`, DIE_AT: moment }, STEPS_MAX);
    if (dead.signal !== 'SIGKILL') throw new Error(`it did not die ${moment}: ${dead.out}${dead.err}`);
    this.kills++;
    if (moment === 'after') [this.#from, this.#say] = [this.#latest(), null];
    this.#compare(`killed ${moment}`);
    if (moment === 'after') this.#spoil();
    const known = this.#log().length;
    const next = await this.#live({}, STEPS);
    if (next.code !== 0 && next.code !== UNSETTLED)
      this.faults.push(`after ${moment}: ended with ${String(next.code)}: ${next.err}`);
    const [named = null] = /the checkpoint was left out.*whole journal/.exec(this.#log().slice(known)) ?? [];
    if (this.#say === null ? named !== null : !this.#say.test(named ?? ''))
      this.faults.push(`after ${moment}: a start says of its checkpoint: ${String(named)}`);
    this.#compare(`after ${moment}`);
  }

  /** Compares journal and venue at the end. */
  async judge(): Promise<void> {
    await this.#live({}, LAST_STEPS);
    const journal = new JournalSide(this.#journal);
    journal.read();
    const truth = await this.#venue.truth();
    const userAddress = this.#venue.info.accounts[0]?.userAddress ?? '';
    const sides = { journal, truth, userAddress, lies: NO_LIES };
    this.faults.push(...judgeEnd(sides).map(({ text }) => text));
    for (const verb of ['verify', 'replay']) {
      const done = await start(['journal', verb, '--config', this.#config.file], this.#config.env).done;
      if (done.code !== 0) this.faults.push(`journal ${verb}: ${done.out}${done.err}`);
    }
  }

  /** Number of orders in the journal. */
  orders(): number {
    const journal = new JournalSide(this.#journal);
    journal.read();
    return journal.books.orders.size;
  }

  /** Runs one process, and the venue's time with it, for so many steps. */
  async #live(env: Readonly<Record<string, string>>, steps: number): Promise<Done> {
    const { file, env: keys } = this.#config;
    const daemon = start(['run', file, '--live', '--json', '--after-crashes'], { ...keys, ...env });
    const { child, done } = daemon;
    const living = new Set([done]);
    void done.then(() => living.clear());
    const advance = () =>
      Promise.all([this.#venue.control('/clock', { advanceMs: STEP_MS }), sleep(PACE_MS)]);
    let left = (await isStarted(daemon)) ? steps : 0;
    while (living.size > 0 && left-- > 0) await advance();
    child.kill('SIGTERM');
    while (living.size > 0) await advance();
    return done;
  }

  #log(): string {
    return readFileSync(join(this.#dir, 'state', 'drover.log'), 'utf8');
  }

  /** Number of the latest entry about a checkpoint. */
  #latest(): number {
    const reader = readJournal(this.#journal);
    try {
      for (const { seq } of reader.backwards(['checkpoint'], Infinity)) return seq;
      return 1;
    } finally {
      reader.close();
    }
  }

  /** Expects the next start to have the state of one that reads everything, from the right checkpoint. */
  #compare(when: string): void {
    const reader = readJournal(this.#journal);
    try {
      const { short, whole, from } = booksOf(reader);
      if (short !== whole) this.faults.push(`${when}: the checkpoint of entry ${from} leads to other books`);
      if (from !== this.#from)
        this.faults.push(`${when}: a start reads from entry ${from}, not ${this.#from}`);
    } finally {
      reader.close();
    }
  }

  /** Spoils the checkpoint that was never read, each time in another way. */
  #spoil(): void {
    const file = checkpointFile(this.#journal);
    const bytes = readFileSync(file);
    const { say, spoil } = SPOILS[this.spoiled++ % SPOILS.length] ?? SPOILS[0];
    const older = this.#older ?? { from: this.#from, bytes };
    this.#older = { from: this.#from, bytes };
    writeFileSync(file, spoil(bytes, older.bytes));
    [this.#from, this.#say] = [say === null ? older.from : 1, say];
  }
}

const IN_TURNS = `{ id: turns, use: ${join(root, 'test/torture/inTurns.ts')}, capital: '5000', params: { symbol: AAPL } }`;
