import { setTimeout as pause } from 'node:timers/promises';
import type { EmulatorInfo, Truth } from '../../src/emulator/index.ts';
import { start, type Done, type Running } from './cli.ts';

/** Emulated ms that a step takes: small beside every time limit, so that a request never outlasts it however slow the machine. */
const STEP_MS = 100;
/** Real ms between two steps: a program that the machine keeps waiting for a second still signs within the venue's window. */
const PACE_MS = 4;
/** What a command says as it begins to wait. */
const WAITS = /^sent: | …$/;

/** `drover emulator` in a process of its own, in which time passes only when it is told to. */
export type Venue = Readonly<{
  info: EmulatorInfo;
  control<T = unknown>(path: string, body?: object): Promise<T>;
  truth(): Promise<Truth>;
  /** The end of a command that is running. Time stands still until it has sent or is waiting, and passes from then on. */
  end(command: Running, waits?: RegExp): Promise<Done>;
  stop(): Promise<void>;
}>;

export async function startVenue(at: string): Promise<Venue> {
  const emulator: Running = start(['emulator', '--json', '--speed', '0', '--start', at]);
  const info = JSON.parse(await emulator.line(/^\{/)) as EmulatorInfo;
  const control = async <T>(path: string, body?: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' };
    const init = body && { method: 'POST', body: JSON.stringify(body), headers };
    return (await (await fetch(`${info.controlUrl}${path}`, init)).json()) as T;
  };
  return {
    info,
    control,
    truth: () => control<Truth>('/truth'),
    async end({ done, line }, waits = WAITS) {
      const running = new Set([done]);
      void done.then(() => running.clear());
      await line(waits).catch(() => undefined);
      while (running.size > 0) {
        await control('/clock', { advanceMs: STEP_MS });
        await pause(PACE_MS);
      }
      return done;
    },
    async stop() {
      emulator.child.kill('SIGTERM');
      await emulator.done;
    },
  };
}

/** What the environment of a command line holds for an account of the venue. */
export function keysOf({ accounts }: EmulatorInfo, index: number) {
  const account = accounts[index];
  const key = account?.keys.find((each) => each.access === 'WRITABLE');
  if (!account || !key) throw new Error(`no account ${index} with a writable key`);
  return {
    user: account.userAddress,
    env: {
      DROVER_API_KEY: key.apiKey,
      DROVER_API_SECRET: key.secret,
      DROVER_WALLET_KEY: account.privateKey,
    },
  };
}
