import { isRun } from '../../../domain/operator/tradingState.ts';
import { ConfigError, messageOf } from '../../../core/errors.ts';
import type { LockHeldError } from '../../../store/stateFolder.ts';
import type { CommandContext } from '../../../process/context.ts';
import { printResult } from '../../../process/output.ts';
import { journalOf } from '../../../app/environment/journal.ts';
import { claimState } from '../../../app/environment/ownership.ts';
import {
  killFileOrigin,
  killFilesOf,
  killFileThere,
  killSwitch,
  makeKillFile,
  removeKillFile,
  stateKillFile,
} from '../../../app/environment/killSwitch.ts';
import type { ManualRun } from '../../../app/environment/manualRun.ts';

type HaltFlags = Readonly<{ reason: string; state?: string }>;

/**
 * Creates the kill file in the state folder of a run that does not respond: it stops placing orders.
 * @throws {ConfigError} when trading is already halted, or the kill file cannot be created
 */
export function haltSilentRun(flags: HaltFlags, context: CommandContext, held: LockHeldError): number {
  const { loaded, stateDir } = claimedJournal(flags, context);
  const there = killFileThere(killFilesOf(loaded, stateDir));
  if (there !== undefined) throw new ConfigError(`trading is halted already: the kill file ${there} exists`);
  const killFile = stateKillFile(stateDir);
  let end = '`drover resume --reason TEXT` removes it and ends the halt, once the run answers';
  try {
    makeKillFile(killFile, flags.reason);
  } catch (cause) {
    const why = messageOf(cause);
    if (!killSwitch(killFile)())
      throw new ConfigError(
        `the kill file ${killFile} cannot be made: ${why}. Nothing was halted: stop the run instead`,
        { killFile },
        { cause },
      );
    // A full disk accepts names but no content, and the name alone halts.
    end = `Its reason could not be written (${why}): to go on, rm ${killFile}, and \`drover resume --reason TEXT\` once the run answers`;
  }
  const words =
    `${messageOf(held).replace(/: stop it first .*$/s, '')}. It does not answer. Its kill file ${killFile} was made: no order ` +
    `is placed from now on, not even by a stop that is touched; cancels still leave. ${end}`;
  const result = { state: 'halted', cancelled: 0, sold: 0, left: [], reason: flags.reason, halted: true };
  return printResult(context, { ...result, killFile }, words);
}

/**
 * Resumes all trading without a run, ignoring the kill files created by `halt`, which are removed afterwards.
 * @throws {ConfigError} when there is no halt, and a kill file was made by hand
 */
export async function withoutKillFile(
  flags: HaltFlags,
  { context, manual, isOfAll }: Readonly<{ context: CommandContext; manual: ManualRun; isOfAll: boolean }>,
  resume: () => Promise<number>,
): Promise<number> {
  const { made, byHand } = killFilesIn(flags, context);
  const { all } = manual.accountState.trading;
  if (!all.some((one) => isRun(one.scope)) && made.length === 0 && byHand.length > 0)
    throw madeByHand(byHand);
  if (made.length > 0) manual.killFiles([...made, ...byHand]);
  manual.killFiles(isOfAll ? byHand : [...made, ...byHand]);
  const code = await resume();
  if (isOfAll) made.forEach(removeKillFile);
  return code;
}

/**
 * Removes the kill file that `halt` created for a run that does not respond. Whatever it has halted stays halted.
 * @throws {LockHeldError} if there is none
 * @throws {ConfigError} when it was made by hand
 */
export function resumeSilentRun(flags: HaltFlags, context: CommandContext, held: LockHeldError): number {
  const { made, byHand } = killFilesIn(flags, context);
  if (byHand.length > 0) throw madeByHand(byHand);
  const [killFile] = made;
  if (killFile === undefined) throw held;
  made.forEach(removeKillFile);
  const why = named(made);
  const words = `removed: ${why}. The run does not answer: if that file has halted it, it stays halted until \`drover resume --reason TEXT\``;
  return printResult(context, { why, reason: flags.reason, resumed: true, killFile }, words);
}

/**
 * Checks that the folder belongs to the config's run, so that no other run gets or loses a kill file. @throws
 * {ConfigError} for another run's folder
 */
function claimedJournal(flags: Readonly<{ state?: string }>, context: CommandContext) {
  const place = journalOf(flags, context);
  claimState(place.loaded, place.stateDir);
  return place;
}

/** Existing kill files: those created by `halt`, and those made by hand. */
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
    `${named(files)} was not made by \`drover halt\`, and whoever made it may still need it. To continue: rm ${files.join(' ')}`,
  );
