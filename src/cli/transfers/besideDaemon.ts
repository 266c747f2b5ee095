import { existsSync } from 'node:fs';
import { systemClock } from '../../core/clock.ts';
import { ConfigError, OutcomeUnknownError, SafetyError } from '../../core/errors.ts';
import { BY_HAND } from '../../domain/operator/command.ts';
import type { CommandResult, CommandState, DaemonClient } from '../../ops/client.ts';
import { configOf, stateOverride, venueOf, type LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { journalFile } from '../environment/ownership.ts';
import { latestOf } from '../../store/readJournal.ts';
import type { ManualRun } from '../environment/manualRun.ts';
import { requireGroup, requireOwnKey, requireSending, riskOf } from './account.ts';
import { confirm, type Plan } from './confirm.ts';
import { checkContracts } from './contracts.ts';
import { knownPins } from '../environment/pins.ts';
import { cashTokenName } from '../../domain/account/pinBook.ts';
import type { Address } from '../../domain/instrument.ts';
import type { z } from 'zod';
import type { planSchema } from '../../ops/model/handPlan.ts';
import { GROUPS } from './move.ts';

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

/** Run that carries out a command: a daemon, or `manual`, a run of the command's own. */
export type Carrier = Readonly<{ daemon: DaemonClient; context: CommandContext; manual?: ManualRun }>;
export type OwnCarrier = Carrier & Readonly<{ manual: ManualRun }>;

/**
 * Runs `work` with a run of the command's own, on the state folder of the config.
 * @throws {SafetyError} with the line to add, for the config of a dry run, while the kill file is there, or with the key of another
 * wallet; nothing was sent
 */
export async function withOwnRun<T>(
  { kind, flags }: Readonly<{ kind: keyof typeof GROUPS; flags: BesideFlags }>,
  context: CommandContext,
  work: (carrier: OwnCarrier) => Promise<T>,
): Promise<T> {
  const loaded = configOf(context, stateOverride(flags));
  requireSending(loaded, riskOf(kind));
  requireGroup(GROUPS[kind], loaded);
  const { state: stateDir = '' } = loaded.config;
  const { withManualRun } = await import('../environment/manualRun.ts');
  return withManualRun({ loaded, stateDir, context, needs: 'sends' }, async (manual) => {
    if (loaded.config.mode === 'live')
      await requireOwnKey({ venue: venueOf(loaded), clock: manual.clock, context });
    return work({ daemon: manual.client, context, manual });
  });
}

/** True where the state folder of the config has the books of a run, which follow what is sent. @throws {ConfigError} for a damaged journal */
export const hasBooks = ({ config: { state } }: LoadedConfig): boolean =>
  state !== undefined &&
  existsSync(journalFile(state)) &&
  latestOf(journalFile(state), ['opened'], 1).length > 0;

/** Runs `work` with the daemon that a command goes through, or with a run of its own; with null where no books follow it. */
export const withCarrier = (
  use: Parameters<typeof withOwnRun>[0],
  context: CommandContext,
  work: (carrier: Carrier | null) => Promise<number>,
): Promise<number> =>
  withDaemon(use.flags, context, (daemon) => {
    if (daemon) return work({ daemon, context });
    const loaded = configOf(context, stateOverride(use.flags));
    return hasBooks(loaded) ? withOwnRun(use, context, work) : work(null);
  });

/** An order or a transfer by hand. `fields`: as its plan takes them; without a value they are left out. */
export type HandSend = Readonly<{
  verb: 'orders' | 'transfers';
  fields: Readonly<Record<string, string | undefined>>;
  print: (row: Readonly<Record<string, unknown>>) => void;
  /** True for an order that may rest at the venue, or wait for the open: it is done once it does. */
  mayRest: boolean;
}>;

/**
 * Hands an order or a transfer to a run: shows its plan, asks, gives the command once, and follows it to its end.
 * @throws {SafetyError} when the run refuses it, {ConfigError} when it names something that is not there; {OutcomeUnknownError}
 * when no answer comes
 */
export async function handOver(send: HandSend, flags: BesideFlags, carrier: Carrier): Promise<number> {
  const { daemon, context, manual } = carrier;
  const { planSchema: schema } = await import('../../ops/model/handPlan.ts');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(send.fields)) if (value !== undefined) query.set(name, value);
  const plan = await daemon.get(`/v1/plan/${send.verb}?${query.toString()}`, schema);
  const { what, facts, refusal, refused } = plan;
  if (refusal !== null) throw refused === 'usage' ? new ConfigError(refusal) : new SafetyError(refusal);
  const shown = manual
    ? [...(await contractFacts(plan, configOf(context, stateOverride(flags)), manual)), ...facts]
    : [...facts, ['through', 'the running daemon'] as const];
  confirm({ what, facts: shown }, flags.yes ?? false, context);
  const given = await daemon.steer(send.verb, { reason: flags.reason ?? BY_HAND, ...plan.body });
  context.terminal.err(manual ? `${given.text} …` : given.text);
  return follow(send, flags, { ...carrier, given });
}

type HandPlan = z.output<typeof planSchema>;

/** Lines about the token of a plan: its pin and, by the node, the name that it states itself. @throws {SafetyError} for another name */
async function contractFacts(
  { facts, body }: HandPlan,
  loaded: LoadedConfig,
  { chain }: ManualRun,
): Promise<Plan['facts']> {
  const [, address] = facts.find(([name]) => name === 'contract') ?? [];
  if (address === undefined) return [];
  const token = address as Address;
  const { symbol: stock } = body;
  const isStock = typeof stock === 'string';
  const symbol = isStock ? stock : (cashTokenName(knownPins(loaded).pins, token) ?? token);
  const moved = { symbol, address: token, isStock };
  const check = await checkContracts([moved], { loaded, chain });
  return check.facts.filter(([name]) => name !== 'contract');
}

type FollowOptions = Carrier & Readonly<{ given: CommandResult }>;

/** Time between two questions for what became of it, in ms: of the machine, or of the venue where the run is the command's own. */
export const LOOK_MS = 500;
/** Longest time for which a command of its own looks for a send without an answer, in ms of the venue. */
export const DOUBT_MS = 300_000;

/** Follows a command to the end of what it sends, unless told not to. Ctrl-C only ends the waiting. */
async function follow(
  send: HandSend,
  { wait = true }: BesideFlags,
  following: FollowOptions,
): Promise<number> {
  const { context, given, manual } = following;
  const signal = context.stopSignal();
  const clock = manual?.clock ?? systemClock;
  const began = clock.monotonic();
  let told: unknown = null;
  for (;;) {
    const state = await stateOf(following);
    const { txHash = null } = state.sent ?? {};
    if (manual && txHash !== told) context.terminal.err(`sent: ${String((told = txHash))}`);
    const end = endOf(state, send);
    const isOver = !wait && (!manual || isAnswered(state));
    if (end === null && manual && state.sent?.['state'] === 'unknown')
      if (isOver || clock.monotonic() - began > DOUBT_MS)
        throw new OutcomeUnknownError(doubtText(state.sent), { id: given.id });
    if (end !== null || isOver) {
      show(state, send, context);
      return end ?? EXIT.done;
    }
    const isStopped = await clock.sleep(LOOK_MS, signal).then(
      () => false,
      () => true,
    );
    if (!isStopped) continue;
    context.terminal.err(
      manual
        ? 'still under way: the next command or run on this state folder goes on with it; `drover orders show TX --wait` shows an order'
        : 'still under way: the daemon goes on with it; `drover status` shows it',
    );
    return EXIT.interrupted;
  }
}

const stateOf = ({ daemon, given: { id }, manual }: FollowOptions): Promise<CommandState> =>
  daemon.command(id).catch((error: unknown) => {
    if (manual) throw error;
    throw new OutcomeUnknownError(
      `the daemon does not answer any more: what became of it is in its journal (its id is ${id}), see ` +
        '`drover status`. Do not send it again before you know',
      { id },
      { cause: error },
    );
  });

/** True once the send has an answer, or will have none. */
const isAnswered = ({ sent }: CommandState): boolean =>
  sent !== null && !UNANSWERED.has(String(sent['state']));

const UNANSWERED: ReadonlySet<string> = new Set(['planned', 'sent']);

const doubtText = ({ id }: Readonly<Record<string, unknown>>): string =>
  `${String(id)} has no answer, and the venue does not show it: it may or may not have it. The next run looks for it; nothing of its ` +
  `stock and side is sent before that. \`drover resolve ${String(id)} --reason TEXT\` closes it on your word`;

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
export async function followCancel({ wait = true }: BesideFlags, following: FollowOptions): Promise<number> {
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
