import type { EpochMs } from '../../core/brand.ts';
import type { RawTransaction } from '../execution/acceptance.ts';
import type { Command } from './commands.ts';
import type { Arrival } from '../state/state.ts';
import type { Machine, NodeCall } from './machine.ts';
import type { Script } from './script.ts';

/** All that the machine is ever given. Its state is what these make of the first one, in order. */
export type Input = Readonly<
  { at: EpochMs } & (
    | { kind: 'request'; arrival: Arrival }
    | { kind: 'transaction'; transaction: RawTransaction }
    | { kind: 'command'; command: Command }
    /** Null forgets what is still to come. */
    | { kind: 'script'; script: Script | null }
    /** A request to the node while rules are in force for it. */
    | { kind: 'node'; call: NodeCall }
    | { kind: 'tick' }
  )
>;

/**
 * Brings a machine to where it was when the input was given. What it threw then was told then, and the machine went on: so it
 * does now, or nobody could ever open its directory again.
 */
export function replay(machine: Machine, input: Input): void {
  try {
    give(machine, input);
  } catch {
    // As above.
  }
}

function give(machine: Machine, input: Input): void {
  switch (input.kind) {
    case 'request':
      machine.handle(input.arrival, input.at);
      return;
    case 'transaction':
      machine.accept(input.transaction, input.at);
      return;
    case 'command':
      machine.command(input.command, input.at);
      return;
    case 'script':
      machine.script(input.script, input.at);
      return;
    case 'node':
      machine.nodeFault(input.call, input.at);
      return;
    case 'tick':
      machine.advance(input.at);
      return;
  }
}
