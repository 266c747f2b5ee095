import { existsSync } from 'node:fs';
import { systemClock, type Clock } from '../../core/clock.ts';
import { closingAfter, ConfigError, OutcomeUnknownError, SafetyError } from '../../core/errors.ts';
import { BY_HAND } from '../../domain/operator/command.ts';
import type { CommandResult, DaemonClient } from '../../ops/client.ts';
import type { CommandState } from '../../ops/model/commandState.ts';
import { configOf, stateOverride, venueOf, type LoadedConfig } from '../config/load.ts';
import type { CommandContext } from '../../process/context.ts';
import { EXIT } from '../../process/exitCodes.ts';
import { toJson } from '../../process/output.ts';
import { withAccountState } from '../environment/environment.ts';
import { clockOf } from '../environment/connect.ts';
import type { ManualRun } from '../environment/manualRun.ts';
import { requireGroup, requireOwnKey, requireSending } from './account.ts';
import { confirm, type Plan } from './confirm.ts';
import { unlistedContracts } from '../environment/pinned.ts';
import { checkContract } from './contracts.ts';
import { knownPins, type KnownPins } from '../environment/pins.ts';
import { Pins, cashTokenName } from '../../domain/account/pinBook.ts';
import { TRANSFER_GROUPS } from '../../api/allowList.ts';
import type { Address } from '../../domain/instrument.ts';
import type { z } from 'zod';
import type { planSchema } from '../../ops/model/manualPlan.ts';

/** Flags of every command that sends. `wait` is false with `--no-wait`. `state`: folder of the run. `reason`: for the journal. */
export type SendFlags = Readonly<{ yes?: boolean; wait?: boolean; state?: string; reason?: string }>;

/**
 * Runs `work` with the daemon of the state folder given by `--state` or the config or, without either, with this user's only one;
 * with null if none is running.
 * @throws {ConfigError} when there are several, or the only one trades live and was not named
 * @throws {SafetyError} when a process holds the state folder and its socket does not answer
 */
export async function withDaemon<T>(
  flags: Pick<SendFlags, 'state'>,
  context: CommandContext,
  work: (daemon: DaemonClient | null) => Promise<T>,
): Promise<T> {
  const daemon = await daemonFor(flags, context);
  return closingAfter({ close: () => daemon?.close() }, () => work(daemon));
}

async function daemonFor(
  flags: Pick<SendFlags, 'state'>,
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
      `the run on ${found.stateDir} trades live: name it with --state DIR or by its config. Nothing was sent`,
    );
  return clientOf(found.socket, context);
}

/** The run that executes a command: a daemon's, or `manual`, the command's own, with its config. */
export type Carrier = Readonly<{
  client: DaemonClient;
  context: CommandContext;
  manual: (ManualRun & Readonly<{ loaded: LoadedConfig; pins: KnownPins }>) | null;
}>;

/** Kind of send: a transfer, an order, or only a cancel. */
export type SendKind = keyof typeof TRANSFER_GROUPS | 'order' | 'cancel';

const NO_PINS: KnownPins = { contracts: new Map(), pins: new Pins(), confirmed: new Map() };

type SendUse = Readonly<{ kinds: readonly SendKind[]; flags: SendFlags }>;

/**
 * Runs `work` with the daemon that the command addresses, or with a run of its own, on the config's state folder or one for the
 * wallet.
 * @throws {SafetyError} with the line to add, for a dry-run config, while the kill file exists, or for the key of another wallet;
 * nothing was sent
 */
export const withCarrier = (
  use: SendUse,
  context: CommandContext,
  work: (carrier: Carrier) => Promise<number>,
): Promise<number> =>
  withDaemon(use.flags, context, (daemon) =>
    daemon ? work({ client: daemon, context, manual: null }) : withOwnRun(use, context, work),
  );

async function withOwnRun(
  { kinds, flags }: SendUse,
  context: CommandContext,
  work: (carrier: Carrier) => Promise<number>,
): Promise<number> {
  const named = configOf(context, stateOverride(flags));
  const isCancel = kinds.every((kind) => kind === 'cancel');
  requireSending(named, isCancel ? 'reduces' : 'adds');
  for (const kind of kinds)
    if (kind !== 'order' && kind !== 'cancel') requireGroup(TRANSFER_GROUPS[kind], named);
  const { loaded, stateDir } = withAccountState(named, context);
  const { withManualRun } = await import('../environment/manualRun.ts');
  const needs = isCancel ? 'cancels' : 'sends';
  // A cancel must be possible even while the venue answers little else and names no wallet.
  const atKey = async () => {
    const venue = venueOf(loaded);
    if (!isCancel) await requireOwnKey({ venue, clock: await clockOf(venue, context), context });
  };
  // Read before the run pins the venue's listings: a plan points out contracts that had no pin.
  const pins = isCancel ? NO_PINS : knownPins(loaded);
  return withManualRun({ loaded, stateDir, context, needs, atKey }, (manual) => {
    const unlisted = isCancel ? null : unlistedContracts(manual.listed(), pins);
    if (unlisted !== null) throw new ConfigError(`${unlisted}. Nothing was sent`);
    return work({ client: manual.client, context, manual: { ...manual, loaded, pins } });
  });
}

/** A command's order or transfer. `fields`: as for its plan; those without a value are omitted. */
export type ManualSend = Readonly<{
  verb: 'orders' | 'transfers';
  fields: Readonly<Record<string, string | undefined>>;
  print: (row: Readonly<Record<string, unknown>>) => void;
  /** True for an order that may rest at the venue or wait for the open: the command is then done. */
  mayRest: boolean;
}>;

/**
 * Passes orders and transfers to a run, each after the previous one is done: shows their plans, asks, submits each once, and follows
 * it to its end.
 * @throws {SafetyError} when the run refuses one, {ConfigError} when it names something that does not exist; {OutcomeUnknownError}
 * when there is no response
 */
export async function handOver(
  sends: readonly ManualSend[],
  flags: SendFlags,
  carrier: Carrier,
): Promise<number> {
  const { client, context, manual } = carrier;
  const planned: (readonly [ManualSend, ManualPlan])[] = [];
  for (const send of sends) planned.push([send, await planOf(send, client)]);
  const facts: (readonly [string, string])[] = [];
  for (const [, plan] of planned) facts.push(...(manual ? await ownFacts(plan, manual) : plan.facts));
  if (!manual) facts.push(['through', 'the running daemon']);
  const what = planned.map(([, plan]) => plan.what).join(', then: ');
  confirm({ what, facts }, flags.yes ?? false, context);
  for (const [send, { body }] of planned) {
    const given = await client
      .steer(send.verb, { reason: flags.reason ?? BY_HAND, ...body })
      .catch((error: unknown) => {
        throw send === sends[0] ? error : afterFirst(error);
      });
    context.terminal.err(manual ? `${given.text} …` : given.text);
    const isLast = send === sends.at(-1);
    const code = await follow(send, isLast ? flags : { ...flags, wait: true }, { ...carrier, given });
    if (code !== EXIT.done) return code;
  }
  return EXIT.done;
}

/** Refusal of a later send; its text says that the deposit before it is done. */
function afterFirst(error: unknown): unknown {
  if (!(error instanceof SafetyError || error instanceof ConfigError)) return error;
  const text = error.message.replace(
    / Nothing was sent$/,
    ' The order was not sent; the deposit before it is done',
  );
  return new SafetyError(text, error.details, { cause: error });
}

type ManualPlan = z.output<typeof planSchema>;

/** @throws {SafetyError} when the run would refuse it, {ConfigError} when it names something that does not exist */
async function planOf({ verb, fields }: ManualSend, client: DaemonClient): Promise<ManualPlan> {
  const { planSchema: schema } = await import('../../ops/model/manualPlan.ts');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value);
  const plan = await client.get(`/v1/plan/${verb}?${query.toString()}`, schema);
  const { refusal, refused } = plan;
  if (refusal !== null) throw refused === 'usage' ? new ConfigError(refusal) : new SafetyError(refusal);
  return plan;
}

/** Facts of a plan, with the pin of its token and, from the node, the token's own name. @throws {SafetyError} for another name */
async function ownFacts(
  { facts, body }: ManualPlan,
  { chain, accountState, pins }: NonNullable<Carrier['manual']>,
): Promise<Plan['facts']> {
  const [, address] = facts.find(([name]) => name === 'contract') ?? [];
  if (address === undefined) return facts;
  const token = address as Address;
  const { symbol: stock } = body;
  const isStock = typeof stock === 'string';
  const symbol = isStock ? stock : (cashTokenName(accountState.pins, token) ?? token);
  const check = await checkContract(
    { symbol, address: token, isStock },
    { pins, stated: accountState.pins, chain },
  );
  return [...check, ...facts.filter(([name]) => name !== 'contract')];
}

type FollowOptions = Carrier & Readonly<{ given: CommandResult }>;

/** Polling interval in ms of real time, or of the venue's time if the run is the command's own. */
export const LOOK_MS = 500;
/** Maximum time for which a command's own run searches for a send without a response, in ms of the venue's time. */
export const DOUBT_MS = 300_000;

/** Follows a command until all its sends have ended, unless told not to. Ctrl-C only ends the wait. */
async function follow(
  send: ManualSend,
  { wait = true }: SendFlags,
  following: FollowOptions,
): Promise<number> {
  const { context, given, manual } = following;
  const signal = context.stopSignal();
  const clock = manual?.clock ?? systemClock;
  const began = clock.monotonic();
  let shown: unknown = null;
  for (;;) {
    const state = await stateOf(following);
    const { txHash = null } = state.sent ?? {};
    if (manual && txHash !== shown) context.terminal.err(`sent: ${String((shown = txHash))}`);
    const end = endOf(state, send);
    const isOver = !wait && (!manual || isAnswered(state));
    if (end === null && manual && isDoubtful(state, send))
      if ((isOver && state.sent?.['state'] === 'unknown') || clock.monotonic() - began > DOUBT_MS)
        throw new OutcomeUnknownError(doubtText(state.sent ?? {}), { id: given.id });
    if (end !== null || isOver) {
      show(state, send, context);
      return signal.aborted && state.sent === null ? EXIT.interrupted : (end ?? EXIT.done);
    }
    const isLate = clock.monotonic() - began > DOUBT_MS;
    if (manual && state.sent === null && (isLate || signal.aborted)) {
      await withdraw(following, isLate ? `not sent in ${DOUBT_MS / 1_000} s` : 'nobody waits for it');
      continue;
    }
    const isStopped = await nextLook(clock, signal).then(
      () => false,
      () => true,
    );
    if (!isStopped || (manual && state.sent === null)) continue;
    if (manual) show(await answered(following, clock), send, context);
    context.terminal.err(
      manual
        ? 'still under way: the next command or run on this state folder goes on with it; `drover orders show TX --wait` shows an order'
        : 'still under way: the daemon goes on with it; `drover status` shows it',
    );
    return EXIT.interrupted;
  }
}

/** Ends an unsent order of a command's own run, so that no later run sends it. If it was sent meanwhile, it is cancelled. */
const withdraw = ({ client, given: { result } }: FollowOptions, reason: string): Promise<unknown> =>
  client.steer('cancel', { reason, orders: [String(result['intent'])] }).catch((error: unknown) => {
    // It has just ended.
    if (!(error instanceof SafetyError || error instanceof ConfigError)) throw error;
  });

/** Maximum wait for the response to a pending send once a person stopped waiting for its end, in ms of venue time. */
const ANSWER_MS = 30_000;

/** State of a send once it has its answer: the waiting for its end can be stopped, that for its answer is short. */
async function answered(
  following: FollowOptions,
  clock: Pick<Clock, 'monotonic' | 'sleep'>,
): Promise<CommandState> {
  for (const began = clock.monotonic(); ;) {
    const state = await stateOf(following);
    const isOver = state.ended !== null || clock.monotonic() - began > ANSWER_MS;
    if (isOver || isAnswered(state)) return state;
    await nextLook(clock);
  }
}

/** Waits until the next poll, by whichever clock gets there first: that of an emulated venue may stand still. */
async function nextLook(clock: Pick<Clock, 'sleep'>, signal?: AbortSignal): Promise<void> {
  const over = new AbortController();
  const either = AbortSignal.any(signal ? [over.signal, signal] : [over.signal]);
  try {
    await Promise.race([clock, systemClock].map((each) => each.sleep(LOOK_MS, either)));
  } finally {
    over.abort();
  }
}

const stateOf = ({ client, given: { id }, manual }: FollowOptions): Promise<CommandState> =>
  client.command(id).catch((error: unknown) => {
    if (manual) throw error;
    throw new OutcomeUnknownError(
      `the daemon does not answer any more: what became of it is in its journal (its id is ${id}), see ` +
        '`drover status`. Do not send it again before you know',
      { id },
      { cause: error },
    );
  });

/** True for a send without a response, and for an order that the venue accepted but does not show. */
const isDoubtful = ({ sent }: CommandState, { verb }: ManualSend): boolean =>
  sent?.['state'] === 'unknown' || (verb === 'orders' && sent?.['state'] === 'acknowledged');

/** True once the send has a response, or will have none. */
const isAnswered = ({ sent }: CommandState): boolean =>
  sent !== null && !UNANSWERED.has(String(sent['state']));

const UNANSWERED: ReadonlySet<string> = new Set(['planned', 'sent']);

const doubtText = ({ id }: Readonly<Record<string, unknown>>): string =>
  `${String(id)} has no answer, and the venue does not show it: it may or may not have it. The next run looks for it; nothing of its ` +
  `stock and side is sent before that. \`drover resolve ${String(id)} --reason TEXT\` closes it on your word`;

/** Exit code of a command that has ended; null while it continues. */
function endOf({ sent, ended, progress, answer }: CommandState, { mayRest }: ManualSend): number | null {
  if (answer === null) return null;
  if (mayRest && ended === null && RESTING.has(String(sent?.['state']))) return EXIT.done;
  if (!progress.isDone) return null;
  if (DONE.has(String(sent?.['status']))) return EXIT.done;
  if (sent?.['state'] === 'refused') return EXIT.venue;
  // Planned but not sent, or not even planned: stopped by a limit, a halt, a hold or a check before signing.
  const isStopped = sent === null ? ended?.how === 'dropped' : sent['state'] === 'abandoned';
  return isStopped ? EXIT.safety : EXIT.failed;
}

/** States of an order that continues after the command: it rests at the venue, or the run holds it until its time. */
const RESTING: ReadonlySet<string> = new Set(['working', 'waiting']);

/** Status words of a send that achieved its purpose. */
const DONE: ReadonlySet<string> = new Set(['Filled', 'success']);

/** Prints what a command has sent, and the reason if it ended otherwise than requested. */
function show({ sent, ended }: CommandState, { print }: ManualSend, context: CommandContext): void {
  if (sent !== null) print(sent);
  if (ended !== null && ended.how !== 'done') context.terminal.err(`not done: ${ended.why}`);
}

/** Follows a cancel through a daemon until the order has ended, unless told not to, and prints the outcome. */
export async function followCancel({ wait = true }: SendFlags, following: FollowOptions): Promise<number> {
  const { client, context, given } = following;
  const { terminal, json } = context;
  const signal = context.stopSignal();
  for (;;) {
    const { progress } = await client.command(given.id);
    const { isDone, left } = progress;
    if (isDone || !wait || signal.aborted) {
      terminal.out(json ? toJson({ ...given.result, left }) : [given.text, ...left].join('\n'));
      if (signal.aborted) return EXIT.interrupted;
      return isDone && left.length === 0 ? EXIT.done : EXIT.failed;
    }
    await systemClock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}
