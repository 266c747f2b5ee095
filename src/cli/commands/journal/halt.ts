import { isRun } from '../../../domain/operator/tradingState.ts';
import { ConfigError, messageOf } from '../../../core/errors.ts';
import { LockHeldError } from '../../../store/stateFolder.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { printResult } from '../../output.ts';
import { journalOf } from '../../environment/journal.ts';
import { claimState } from '../../environment/ownership.ts';
import {
  killFileOrigin,
  killFilesOf,
  killFileThere,
  makeKillFile,
  removeKillFile,
  stateKillFile,
} from '../../environment/killSwitch.ts';
import { inOperatorSession } from '../../environment/operatorSession.ts';

type HaltFlags = Readonly<{ reason: string; state?: string }>;

/**
 * `drover halt`: stops placing orders until `resume`, across restarts. Beside a run, which holds the journal, it makes the kill
 * file in the state folder instead.
 * @throws {ConfigError} when trading is halted already, or the kill file cannot be made
 */
export const haltTrading = (flags: HaltFlags, context: CommandContext): Promise<number> =>
  orBeside(haltInJournal(flags, context), (held) => haltBeside(flags, context, held));

/**
 * `drover resume`: lifts a halt, once ledger and venue agree on everything, and removes a kill file that `halt` has made.
 * @throws {SafetyError} while they differ, or for a halt in a journal that a run holds
 * @throws {ConfigError} when there is no halt, or the kill file was made by hand
 */
export const resumeTrading = (flags: HaltFlags, context: CommandContext): Promise<number> =>
  orBeside(resumeInJournal(flags, context), (held) => resumeBeside(flags, context, held));

/** Runs `instead` where another process holds the state folder. */
async function orBeside(work: Promise<number>, instead: (held: LockHeldError) => number): Promise<number> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof LockHeldError) return instead(error);
    throw error;
  }
}

function haltInJournal(flags: HaltFlags, context: CommandContext): Promise<number> {
  return inOperatorSession(flags, context, async (session) => {
    const halted = session.kernel.context.accountState.trading.ofRun;
    if (halted?.state === 'halted') throw new ConfigError(`trading is halted already: ${halted.reason}`);
    await session.require({ kind: 'trade', state: 'halted', scope: {} });
    session.commit();
    const words = 'trading is halted; `drover resume --reason TEXT` ends that';
    return done({ reason: flags.reason, halted: true }, words, context);
  });
}

function haltBeside(flags: HaltFlags, context: CommandContext, held: LockHeldError): number {
  const { loaded, stateDir } = claimedJournal(flags, context);
  const there = killFileThere(killFilesOf(loaded, stateDir));
  if (there !== undefined)
    throw new ConfigError(`trading is halted already: the kill file ${there} is there`);
  const killFile = stateKillFile(stateDir);
  try {
    makeKillFile(killFile, flags.reason);
  } catch (cause) {
    throw new ConfigError(
      `the kill file ${killFile} cannot be made: ${messageOf(cause)}. Nothing was halted: stop the run instead`,
      { killFile },
      { cause },
    );
  }
  const words =
    `${messageOf(held).replace(/: stop it first .*$/s, '')}. Its kill file ${killFile} was made: no order is placed from now ` +
    `on, cancels still leave. \`drover resume --reason TEXT\` removes it, and so does: rm ${killFile}`;
  return done({ reason: flags.reason, halted: true, killFile }, words, context);
}

function resumeInJournal(flags: HaltFlags, context: CommandContext): Promise<number> {
  return inOperatorSession(flags, context, async (session) => {
    const { made, byHand } = killFilesIn(flags, context);
    const isHalted = session.kernel.context.accountState.trading.all.some(({ scope }) => isRun(scope));
    if (!isHalted && made.length === 0 && byHand.length > 0) throw madeByHand(byHand);
    if (made.length > 0) session.take({ kind: 'killFiles', there: [...made, ...byHand] });
    session.take({ kind: 'killFiles', there: byHand });
    const { result, text } = await session.require({ kind: 'trade', state: 'active', scope: {} });
    session.commit();
    made.forEach(removeKillFile);
    return done(result, text, context);
  });
}

function resumeBeside(flags: HaltFlags, context: CommandContext, held: LockHeldError): number {
  const { made, byHand } = killFilesIn(flags, context);
  if (byHand.length > 0) throw madeByHand(byHand);
  const [killFile] = made;
  if (killFile === undefined) throw held;
  made.forEach(removeKillFile);
  const why = named(made);
  const words = `removed: ${why}. The run trades again, unless its journal has a halt: that one stays until the run is stopped`;
  return done({ why, reason: flags.reason, resumed: true, killFile }, words, context);
}

/**
 * Checks that the folder belongs to the run of the config: no other run gets or loses a kill file. @throws {ConfigError}
 * for the folder of another
 */
function claimedJournal(flags: Readonly<{ state?: string }>, context: CommandContext) {
  const place = journalOf(flags, context);
  claimState(place.loaded, place.stateDir);
  return place;
}

/** The kill files that exist: those that `halt` has made, and those made by hand. */
function killFilesIn(
  flags: Readonly<{ state?: string }>,
  context: CommandContext,
): Readonly<{ made: readonly string[]; byHand: readonly string[] }> {
  const { loaded, stateDir } = claimedJournal(flags, context);
  const files = killFilesOf(loaded, stateDir);
  return {
    made: files.filter((file) => killFileOrigin(file) === 'halt'),
    byHand: files.filter((file) => killFileOrigin(file) === 'hand'),
  };
}

const named = (files: readonly string[]): string =>
  files.map((file) => `the kill file ${file}`).join(' and ');

const madeByHand = (files: readonly string[]): ConfigError =>
  new ConfigError(
    `${named(files)} was not made by \`drover halt\`, and whoever made it may still need it. To go on: rm ${files.join(' ')}`,
  );

function done(result: object, text: string, context: CommandContext): number {
  printResult(context, result, text);
  return EXIT.done;
}
