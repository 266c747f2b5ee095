import { fork } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

export type Served = Readonly<{ body: string; delayMs: number }>;

/** Serves one response over loopback HTTP from a separate process while `use` runs. */
export async function withLoopback<T>(served: Served, use: (origin: string) => Promise<T>): Promise<T> {
  const child = fork(new URL('./loopbackServer.js', import.meta.url), { execArgv: [] });
  try {
    child.send(served);
    const [{ port }] = (await once(child, 'message')) as [AddressInfo];
    return await use(`http://127.0.0.1:${port}`);
  } finally {
    child.disconnect();
  }
}
