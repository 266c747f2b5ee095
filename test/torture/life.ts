import { setTimeout as sleep } from 'node:timers/promises';
import { start, type Done, type Running } from '../e2e/cli.ts';
import type { Hardship } from './hardship.ts';
import { startOnPipe } from './unreadPipe.ts';

export type Command = Readonly<{ file: string; env: Readonly<Record<string, string>> }>;

/** One life of the daemon. `killed`: by us, not ended by itself before. */
export type Life = Readonly<{ killed: boolean; stopped: boolean; done: Done }>;

/** Commands during a daemon's life. `beside`: work from its start until it has ended. */
export type Company = Readonly<{
  onStarted: () => Promise<void>;
  beside: (ended: AbortSignal) => Promise<void>;
}>;

/** Last line of a start, before recovery begins. */
const STARTED = /^state /;

const daemonArgs = (file: string): string[] => ['run', file, '--live', '--json', '--after-crashes'];

export const startDaemon = ({ file, env }: Command, ...flags: string[]): Running =>
  start([...daemonArgs(file), ...flags], env);

/** Time limit in ms for a daemon to stop, also while its output is not read. */
const STOP_MS = 30_000;

/**
 * Starts a daemon, stops reading its output once it has started, fills the system's buffer for it, and stops the daemon.
 * `late`: it did not end in time, and was killed.
 */
export async function liveUnread(
  { file, env }: Command,
  ms: number,
  { onStarted, beside }: Company,
): Promise<Readonly<{ late: boolean; isFull: boolean; done: Done }>> {
  const daemon = startOnPipe(daemonArgs(file), env);
  const { child, done, leaveUnread } = daemon;
  const ended = new AbortController();
  let [besides, isFull] = [Promise.resolve(), false];
  if (await isStarted(daemon)) {
    await onStarted();
    isFull = leaveUnread();
    besides = beside(ended.signal);
    await atMost(done, ms);
  }
  child.kill('SIGTERM');
  await atMost(done, STOP_MS);
  const late = child.exitCode === null && child.signalCode === null;
  child.kill('SIGKILL');
  const end = await done;
  ended.abort();
  await besides;
  return { late, isFull, done: end };
}

/** Starts the daemon, pauses it if the run says so, and kills it. */
export async function liveAndDie(
  command: Command,
  { kill, stop }: Hardship,
  { onStarted, beside }: Company,
): Promise<Life> {
  const daemon = startDaemon(command);
  const { child, done } = daemon;
  const ended = new AbortController();
  let stopped = false;
  let besides: Promise<void> | null = null;
  if (kill.after === 'process') await atMost(done, kill.ms);
  else if (await isStarted(daemon)) {
    await onStarted();
    besides = beside(ended.signal);
    if (stop) stopped = await holdStill(daemon, stop);
    if (!stopped || !stop?.killedStill) await atMost(done, kill.ms);
  }
  child.kill('SIGKILL');
  const end = await done;
  ended.abort();
  await besides;
  return { killed: end.signal === 'SIGKILL', stopped, done: end };
}

/** True once a daemon has started; false if it ends before. */
export const isStarted = ({ line }: Pick<Running, 'line'>): Promise<boolean> =>
  line(STARTED).then(
    () => true,
    () => false,
  );

/** Waits; false when the daemon ended before. */
async function holdStill({ child, done }: Running, stop: NonNullable<Hardship['stop']>): Promise<boolean> {
  await atMost(done, stop.afterMs);
  if (child.exitCode !== null || !child.kill('SIGSTOP')) return false;
  await sleep(stop.forMs);
  return stop.killedStill || child.kill('SIGCONT');
}

async function atMost(done: Promise<unknown>, ms: number): Promise<void> {
  const waiting = new AbortController();
  await Promise.race([done, sleep(ms, undefined, { signal: waiting.signal })]);
  waiting.abort();
}
