import { existsSync } from 'node:fs';
import { systemClock } from '../../core/clock.ts';
import { ConfigError, OutcomeUnknownError, SafetyError } from '../../core/errors.ts';
import { BY_HAND } from '../../domain/operator/command.ts';
import type { CommandResult, CommandState, DaemonClient } from '../../ops/client.ts';
import { configOf, stateOverride } from '../config/load.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { confirm } from './confirm.ts';

/** Flags of a command that a daemon carries out. */
export type BesideFlags = Readonly<{ yes?: boolean; wait?: boolean; state?: string; reason?: string }>;

/**
 * Runs `work` with the daemon that a command by hand goes through: that of the state folder of `--state` or the config, or without
 * either the only one of this user. Null where none runs, so that the command sends by itself and holds its locks.
 * @throws {ConfigError} when there are several, or the only one trades live and was not named
 * @throws {SafetyError} when a process holds the state folder and its socket does not answer
 */
export async function withDaemon<T>(
  flags: Pick<BesideFlags, 'state'>,
  context: CommandContext,
  work: (daemon: DaemonClient | null) => Promise<T>,
): Promise<T> {
  const daemon = await daemonFor(flags, context);
  try {
    return await work(daemon);
  } finally {
    await daemon?.close();
  }
}

async function daemonFor(
  flags: Pick<BesideFlags, 'state'>,
  context: CommandContext,
): Promise<DaemonClient | null> {
  const isNamed = flags.state !== undefined || context.configFile !== undefined;
  const { state, mode } = configOf(context, stateOverride(flags)).config;
  if (state !== undefined && !existsSync(state)) return null;
  if (state === undefined && isNamed && mode === 'live') return null;
  const { clientOf, daemonOn, daemonsOf, several } = await import('../environment/daemons.ts');
  if (state !== undefined) return daemonOn(state, context);
  const all = await daemonsOf(context);
  const daemons = isNamed ? all.filter((each) => each.mode === mode) : all;
  const [found, ...others] = daemons;
  if (!found) return null;
  if (others.length > 0) throw several(daemons, '. Nothing was sent');
  if (found.mode === 'live')
    throw new ConfigError(
      `the run on ${found.stateDir} trades live: name it by --state DIR or by its config. Nothing was sent`,
    );
  return clientOf(found.socket, context);
}

/** An order or a transfer by hand. `fields`: as its plan takes them; without a value they are left out. */
export type HandSend = Readonly<{
  verb: 'orders' | 'transfers';
  fields: Readonly<Record<string, string | undefined>>;
  print: (row: Readonly<Record<string, unknown>>) => void;
  /** True for an order that may rest at the venue, or wait for the open: it is done once it does. */
  mayRest: boolean;
}>;

/**
 * Hands an order or a transfer to a daemon: shows its plan, asks, gives the command once, and follows it to its end.
 * @throws {SafetyError} when the daemon refuses it, {ConfigError} when it names something that is not there; {OutcomeUnknownError}
 * when no answer comes
 */
export async function handOver(
  send: HandSend,
  flags: BesideFlags,
  { daemon, context }: Readonly<{ daemon: DaemonClient; context: CommandContext }>,
): Promise<number> {
  const { planSchema } = await import('../../ops/model/handPlan.ts');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(send.fields)) if (value !== undefined) query.set(name, value);
  const plan = await daemon.get(`/v1/plan/${send.verb}?${query.toString()}`, planSchema);
  const { what, facts, refusal, refused } = plan;
  if (refusal !== null) throw refused === 'usage' ? new ConfigError(refusal) : new SafetyError(refusal);
  confirm({ what, facts: [...facts, ['through', 'the running daemon']] }, flags.yes ?? false, context);
  const given = await daemon.steer(send.verb, { reason: flags.reason ?? BY_HAND, ...plan.body });
  context.terminal.err(given.text);
  return follow(send, flags, { daemon, context, given });
}

type Following = Readonly<{ daemon: DaemonClient; context: CommandContext; given: CommandResult }>;

/** Time between two questions for what became of it, in ms of the machine. */
const LOOK_MS = 500;

/** Follows a command to the end of what it sends, unless told not to. Ctrl-C only ends the waiting. */
async function follow(
  send: HandSend,
  { wait = true }: BesideFlags,
  { daemon, context, given }: Following,
): Promise<number> {
  const signal = context.stopSignal();
  for (;;) {
    const state = await daemon.command(given.id).catch((error: unknown) => {
      throw new OutcomeUnknownError(
        `the daemon does not answer any more: what became of it is in its journal (its id is ${given.id}), see ` +
          '`drover status`. Do not send it again before you know',
        { id: given.id },
        { cause: error },
      );
    });
    const end = endOf(state, send);
    if (end !== null || !wait) {
      show(state, send, context);
      return end ?? EXIT.done;
    }
    const isStopped = await systemClock.sleep(LOOK_MS, signal).then(
      () => false,
      () => true,
    );
    if (!isStopped) continue;
    context.terminal.err('still under way: the daemon goes on with it; `drover status` shows it');
    return EXIT.interrupted;
  }
}

/** Exit code of a command that has come to its end; null while it goes on. */
function endOf({ sent, ended, progress, answer }: CommandState, { mayRest }: HandSend): number | null {
  if (answer === null) return null;
  if (mayRest && ended === null && RESTING.has(String(sent?.['state']))) return EXIT.done;
  if (!progress.isDone) return null;
  return DONE.has(String(sent?.['status'])) ? EXIT.done : EXIT.failed;
}

/** States of an order that goes on without a command: it rests at the venue, or the run keeps it until its time. */
const RESTING: ReadonlySet<string> = new Set(['working', 'waiting']);

/** Words of a row whose send has done what was asked for. */
const DONE: ReadonlySet<string> = new Set(['Filled', 'success']);

/** Prints what a command has sent, and the reason of an end that is not what was asked for. */
function show({ sent, ended }: CommandState, { print }: HandSend, context: CommandContext): void {
  if (sent !== null) print(sent);
  if (ended !== null && ended.how !== 'done') context.terminal.err(`not done: ${ended.why}`);
}

/** Follows a cancel to the end of what it cancels, unless told not to, and prints what came of it. */
export async function followCancel({ wait = true }: BesideFlags, following: Following): Promise<number> {
  const { daemon, context, given } = following;
  const { terminal, json } = context;
  const signal = context.stopSignal();
  for (;;) {
    const { progress } = await daemon.command(given.id);
    const { isDone, left } = progress;
    if (isDone || !wait || signal.aborted) {
      terminal.out(json ? toJson({ ...given.result, left }) : [given.text, ...left].join('\n'));
      if (signal.aborted) return EXIT.interrupted;
      return isDone && left.length === 0 ? EXIT.done : EXIT.failed;
    }
    await systemClock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}
