import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NoAnswerError } from '../../../src/core/errors.ts';
import { DaemonClient } from '../../../src/ops/client.ts';
import { socketOf } from '../../../src/ops/control/socket.ts';
import { drover, type Ran } from '../../cli/support/commandLine.ts';

const config = `state: ./state
strategies: [{ id: steady, use: dca, capital: 1000, params: { symbol: SPY, notional: 50, at: '09:35' } }]
`;

export type DaemonRun = Readonly<{
  /** Folder of its config. */
  cwd: string;
  stateDir: string;
  socket: string;
  client: DaemonClient;
  /** Lines on stderr so far. */
  err: () => string;
  stop: () => Promise<Ran>;
}>;

type DaemonRunOptions = Readonly<{
  more?: string;
  flags?: readonly string[];
  env?: Record<string, string>;
  /** Folder of an earlier run, which it continues. */
  cwd?: string;
}>;

/** A daemon on the emulator, in this process. Resolves once its socket is there. */
export async function startDaemon(options: DaemonRunOptions = {}): Promise<DaemonRun> {
  const { more = '', flags = [], env = {} } = options;
  const { cwd = mkdtempSync(join(tmpdir(), 'drover-')) } = options;
  writeFileSync(join(cwd, 'run.yaml'), config + more);
  const stateDir = join(cwd, 'state');
  const ended = new AbortController();
  let said = '';
  const onErr = (text: string) => (said += `${text}\n`);
  const argv = ['run', 'run.yaml', '--start', '2026-06-15T09:40', '--speed', '1', ...flags];
  const run = drover(argv, { cwd, env, signal: ended.signal, onErr });
  const socket = await Promise.race([
    socketIn(stateDir),
    run.then(({ err }) => Promise.reject(new Error(err))),
  ]);
  const client = new DaemonClient({ socket, client: 'a test' });
  const stop = async () => {
    await client.close();
    ended.abort('a test');
    return run;
  };
  return { cwd, stateDir, socket, client, err: () => said, stop };
}

/** A daemon whose strategies have started. */
export async function readyDaemon(options: DaemonRunOptions = {}): Promise<DaemonRun> {
  const run = await startDaemon(options);
  while (!(await run.client.status()).ready) await new Promise((resolve) => setTimeout(resolve, 20));
  return run;
}

async function socketIn(stateDir: string): Promise<string> {
  for (;;) {
    const socket = socketOf(stateDir);
    if (socket !== null) {
      const client = new DaemonClient({ socket, client: 'a test' });
      // Refused while the run reads its journal.
      const isReady = await client.status().then(
        () => true,
        (error: unknown) => {
          if (error instanceof NoAnswerError) return false;
          throw error;
        },
      );
      await client.close();
      if (isReady) return socket;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
