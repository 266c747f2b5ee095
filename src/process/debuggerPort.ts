import { url } from 'node:inspector';
import { SafetyError } from '../core/errors.ts';

/**
 * Keeps a signal from opening the debugger. At SIGUSR1 Node listens on a port of this machine where every user of it may
 * read the memory of the process, secrets included; a handler of our own takes the place of that. Loaded before all else.
 */
process.on('SIGUSR1', () => undefined);

/** @throws {SafetyError} while the debugger is open: before a secret comes into the process */
export function requireNoDebugger(): void {
  const address = url();
  if (address === undefined) return;
  throw new SafetyError(
    `nothing was sent, and no secret was read: the debugger of this process is open at ${new URL(address).host}, where every ` +
      'user of this machine could read them. Start without --inspect, also in NODE_OPTIONS; `mode: emulator` needs no secret ' +
      'and may be debugged',
  );
}
