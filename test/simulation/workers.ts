import { fork, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { runSeed, type Run, type RunSeed } from './campaign.ts';
import type { PlanOptions } from './plan.ts';

export type Workers = Readonly<{ lanes: readonly RunSeed[]; close: () => void }>;

/** Starts processes of this program, each of which runs the seeds that it receives. */
export function startWorkers(count: number, file: string, { lies, short, nights }: PlanOptions): Workers {
  const chosen = Object.entries({ '--lies': lies, '--short': short, '--nights': nights });
  const flags = ['--worker', ...chosen.flatMap(([flag, isOn]) => (isOn ? [flag] : []))];
  const children = Array.from({ length: count }, () => fork(file, flags));
  return {
    lanes: children.map((child) => (seed) => askedOf(child, seed)),
    close: () => children.forEach((child) => child.kill()),
  };
}

async function askedOf(child: ChildProcess, seed: number): Promise<Run> {
  const heard = new AbortController();
  const { signal } = heard;
  const died = once(child, 'exit', { signal }).then(() => {
    throw new Error(`the worker process ended in seed ${seed}`);
  });
  try {
    child.send(seed);
    const [run] = (await Promise.race([once(child, 'message', { signal }), died])) as [Run];
    return run;
  } finally {
    heard.abort();
    died.catch(() => undefined);
  }
}

/** Runs each seed that it receives, in a process that ends with its parent. */
export function serve(options: PlanOptions): void {
  process.once('disconnect', () => process.exit());
  process.on('message', (seed: number) => void runSeed(seed, options).then((run) => process.send?.(run)));
}
