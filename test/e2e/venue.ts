import { setTimeout as pause } from 'node:timers/promises';
import type { EmulatorInfo, Truth } from '../../src/emulator/index.ts';
import { start, type Done, type Running } from './cli.ts';

/** Emulated ms per step: small compared to every time limit, so that a request never exceeds it however slow the machine. */
const STEP_MS = 100;
/** Real ms between two steps: a program held up by the machine for a second still signs within the venue's window. */
const PACE_MS = 4;
/** Output of a command that begins to wait. */
const WAITS = /^sent: | …$/;

/** `drover emulator` in its own process, in which time passes only when the test moves it. */
export type Venue = Readonly<{
  info: EmulatorInfo;
  control<T = unknown>(path: string, body?: object): Promise<T>;
  truth(): Promise<Truth>;
  /** Waits for the end of a running command. Time stands still until it has sent or waits, and passes from then on. */
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

/** Environment variables of a command line for an account of the venue. */
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
