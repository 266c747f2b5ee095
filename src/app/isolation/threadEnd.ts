import type { MessagePort, Worker } from 'node:worker_threads';
import type { Cancel } from '../../core/clock.ts';

/** A thread, and a port that closes together with it. */
export type Thread = Readonly<{ worker: Worker; life: MessagePort }>;

/** Time in ms for a thread to end; a call that cannot be interrupted delays it. */
const END_MS = 2_000;
/** Interval in ms at which the exiting process checks whether its threads have ended. */
const LOOK_MS = 10;

/** Running threads, and ended ones that may still be in such a call. */
const running = new Set<Thread>();
const ending = new Set<Thread>();

/** Sends an empty message: Node returns false for a thread that has ended, although its types do not say so. */
export function isAlive({ life }: Thread): boolean {
  const post = life.postMessage.bind(life) as (message: null) => unknown;
  return post(null) !== false;
}

/** True while an ended thread still runs: its memory must not be attributed to another. */
export const isOneEnding = (): boolean => [...ending].some(isAlive);

/** Registers a thread that has started. */
export function begun(thread: Thread): Thread {
  running.add(thread);
  return thread;
}

/** Ends a thread. False if it still runs after a while; the process is then free to exit without it. */
export async function endThread(
  thread: Thread,
  every: (ms: number, run: () => void) => Cancel,
): Promise<boolean> {
  running.delete(thread);
  ending.add(thread);
  const over = thread.worker.terminate().then(() => ending.delete(thread));
  let cancel: Cancel = () => undefined;
  const late = new Promise<false>((resolve) => {
    cancel = every(END_MS, () => resolve(false));
  });
  const isOver = await Promise.race([over, late]);
  cancel();
  if (!isOver) release(thread);
  return isOver;
}

/** Lets the process exit before a thread. Both the thread and its output would keep the process alive. */
function release({ worker }: Thread): void {
  worker.unref();
  for (const stream of [worker.stdout, worker.stderr]) stream.push(null);
}

// A process waits for its threads when it exits: only the system can end one stuck in a call that never returns.
process.on('exit', () => {
  for (const thread of running) void thread.worker.terminate();
  const isOneLeft = () => [...running, ...ending].some(isAlive);
  const pause = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  for (let waited = 0; waited < END_MS && isOneLeft(); waited += LOOK_MS) Atomics.wait(pause, 0, 0, LOOK_MS);
  if (isOneLeft()) process.kill(process.pid, 'SIGKILL');
});
