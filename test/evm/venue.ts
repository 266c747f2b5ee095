import type { Hex } from 'viem';
import { onTestFinished } from 'vitest';
import { silentLog } from '../../src/core/log.ts';
import type { VirtualClock } from '../../src/core/virtualClock.ts';
import { createControlServer } from '../../src/emulator/http/control.ts';
import { openFront, openMachine } from '../../src/emulator/emulator.ts';
import { createVenueServer, listen } from '../../src/emulator/http/server.ts';
import type { EmulatorInfo, Truth } from '../../src/emulator/index.ts';
import { infoOf } from '../../src/emulator/start.ts';
import { recoverTransaction } from '../../src/emulator/http/recover.ts';

const HOST = '127.0.0.1';
/** Seed for these tests only: its wallets are unique, so no other run on this machine holds their locks. */
const SEED = 7_702;
/** Cancels the longest wait in the emulator's mempool: a transaction is in the block of the second in which it arrives. */
const NO_WAIT_MS = -1_500;

/** The emulator's venue, over HTTP, on a chain mined by the test. */
export type MirroredVenue = Readonly<{
  info: EmulatorInfo;
  truth(): Truth;
  /** Puts a signed transaction into the block of this second. @throws {NodeRefusal} when the emulator refuses it */
  mine(raw: Hex): Promise<void>;
  /** 1 done, 0 reverted; null for one that it never had. */
  statusOf(hash: Hex): number | null;
}>;

/** `onLook` runs whenever a daemon reads the venue's time. */
export async function openVenue(clock: VirtualClock, onLook: () => void): Promise<MirroredVenue> {
  const kept = openMachine({ seed: SEED }, clock.now());
  const { machine } = kept;
  machine.state.blocks = { everyMs: 1_000, waitMs: NO_WAIT_MS };
  const front = openFront(kept, { clock, latency: { minMs: 0, maxMs: 0 } });
  const venue = createVenueServer({ front, clock, isLocal: true, log: silentLog, offsetMs: () => 0 });
  const control = createControlServer({ ...kept, clock });
  control.addHook('onRequest', (_request, _reply, done) => {
    onLook();
    done();
  });
  onTestFinished(async () => {
    await Promise.all([venue.close(), control.close()]);
  });
  const baseUrl = await listen(venue, { host: HOST, port: 0, option: 'port' });
  const controlUrl = await listen(control, { host: HOST, port: 0, option: 'controlPort' });
  return {
    info: infoOf(machine, { baseUrl, controlUrl, rpcUrl: '' }, clock.now()),
    truth: () => machine.truth(clock.now()),
    async mine(raw) {
      machine.accept(await recoverTransaction(raw), clock.now());
      machine.advance(clock.now());
    },
    statusOf(hash) {
      const found = machine.state.transactions.find((each) => each.hash === hash);
      if (!found?.receipt) return null;
      return found.receipt.revert === null ? 1 : 0;
    },
  };
}
