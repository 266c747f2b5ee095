import { ConfigError, messageOf } from '../../core/errors.ts';
import { LockHeldError } from '../../store/lock.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { journalOf } from '../run/journal.ts';
import { killFileOf, killFileOrigin, makeKillFile, removeKillFile } from '../run/killSwitch.ts';
import { atBench } from '../run/operator.ts';
import { refuseDifferences } from './release.ts';

export type HaltFlags = Readonly<{ reason: string; state?: string }>;

/**
 * `drover halt`: no order is placed from here on, whichever run comes next. Beside a run, which has the journal, it makes the
 * kill file of that run instead.
 * @throws {ConfigError} when trading is halted already, or the kill file cannot be made
 */
export const haltTrading = (flags: HaltFlags, context: CommandContext): Promise<number> =>
  orBeside(haltInJournal(flags, context), (held) => haltBeside(flags, context, held));

/**
 * `drover resume`: lifts a halt, once ledger and venue agree on everything, and removes a kill file that `halt` has made.
 * @throws {SafetyError} while they differ, or for a halt in the journal that a run has
 * @throws {ConfigError} when there is no halt, or the kill file was made by hand
 */
export const resumeTrading = (flags: HaltFlags, context: CommandContext): Promise<number> =>
  orBeside(resumeInJournal(flags, context), (held) => resumeBeside(flags, context, held));

/** Does `instead` where another process holds the state folder. */
async function orBeside(work: Promise<number>, instead: (held: LockHeldError) => number): Promise<number> {
  try {
    return await work;
  } catch (error) {
    if (error instanceof LockHeldError) return instead(error);
    throw error;
  }
}

async function haltInJournal({ reason, ...flags }: HaltFlags, context: CommandContext): Promise<number> {
  return atBench(flags, context, ({ kernel, commit }) => {
    const { halted } = kernel.desk.books;
    if (halted !== null) throw new ConfigError(`trading is halted already: ${halted}`);
    commit([{ kind: 'halted', why: reason }]);
    const words = 'trading is halted; `drover resume --reason TEXT` lets it go on';
    return say({ reason, halted: true }, words, context);
  });
}

function haltBeside(flags: HaltFlags, context: CommandContext, held: LockHeldError): number {
  const { loaded, stateDir } = journalOf(flags, context);
  const killFile = killFileOf(loaded, stateDir);
  if (killFileOrigin(killFile) !== 'none')
    throw new ConfigError(`trading is halted already: the kill file ${killFile} is there`);
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
  return say({ reason: flags.reason, halted: true, killFile }, words, context);
}

async function resumeInJournal({ reason, ...flags }: HaltFlags, context: CommandContext): Promise<number> {
  return atBench(flags, context, ({ kernel, mismatches, commit }) => {
    const { loaded, stateDir } = journalOf(flags, context);
    const killFile = killFileOf(loaded, stateDir);
    const origin = killFileOrigin(killFile);
    const why = kernel.desk.books.halted ?? (origin === 'halt' ? `the kill file ${killFile}` : null);
    if (why === null && origin === 'hand') throw byHand(killFile);
    if (why === null) throw new ConfigError('trading is not halted');
    refuseDifferences(mismatches);
    if (kernel.desk.books.halted !== null) commit([{ kind: 'resumed', reason }]);
    if (origin === 'halt') removeKillFile(killFile);
    if (origin === 'hand') context.terminal.err(`the kill file ${killFile} is still there: rm ${killFile}`);
    return say({ why, reason, resumed: true }, `trading may go on; it was halted: ${why}`, context);
  });
}

function resumeBeside(flags: HaltFlags, context: CommandContext, held: LockHeldError): number {
  const { loaded, stateDir } = journalOf(flags, context);
  const killFile = killFileOf(loaded, stateDir);
  const origin = killFileOrigin(killFile);
  if (origin === 'hand') throw byHand(killFile);
  if (origin === 'none') throw held;
  removeKillFile(killFile);
  const why = `the kill file ${killFile}`;
  const words = `${why} is removed, and the run goes on. A halt in its journal stays until it is stopped`;
  return say({ why, reason: flags.reason, resumed: true, killFile }, words, context);
}

const byHand = (killFile: string): ConfigError =>
  new ConfigError(
    `the kill file ${killFile} was not made by \`drover halt\`: whoever made it may still mean it. To go on: rm ${killFile}`,
  );

function say(result: object, words: string, { terminal, json }: CommandContext): number {
  terminal.out(json ? toJson(result) : words);
  return EXIT.done;
}
