import { url } from 'node:inspector';
import { SafetyError } from '../core/errors.ts';

/**
 * Prevents a signal from opening the debugger. On SIGUSR1 Node listens on a local port where every user of the machine
 * may read the memory of the process, including secrets; our own handler replaces that. Loaded before everything else.
 */
process.on('SIGUSR1', () => undefined);

/** @throws {SafetyError} while the debugger is open: called before a secret enters the process */
export function requireNoDebugger(): void {
  const address = url();
  if (address === undefined) return;
  throw new SafetyError(
    `nothing was sent, and no secret was read: the debugger of this process is open at ${new URL(address).host}, where every ` +
      'user of this machine could read them. Start without --inspect, also in NODE_OPTIONS; `mode: emulator` needs no secret ' +
      'and may be debugged',
  );
}
