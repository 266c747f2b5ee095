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
 * Runs `work` with the daemon that a command goes through: that of the state folder of `--state` or the config, or without either
 * the only one of this user; with null if none runs.
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
      `the run on ${found.stateDir} trades live: name it by --state DIR or by its config. Nothing was sent`,
    );
  return clientOf(found.socket, context);
}

/** Run that carries out a command: that of a daemon, or `manual`, one of the command's own, with its config. */
export type Carrier = Readonly<{
  client: DaemonClient;
  context: CommandContext;
  manual: (ManualRun & Readonly<{ loaded: LoadedConfig; pins: KnownPins }>) | null;
}>;

/** What a command sends: a transfer, an order, or nothing but a cancel. */
export type SendKind = keyof typeof TRANSFER_GROUPS | 'order' | 'cancel';

const NO_PINS: KnownPins = { contracts: new Map(), pins: new Pins(), confirmed: new Map() };

type SendUse = Readonly<{ kinds: readonly SendKind[]; flags: SendFlags }>;

/**
 * Runs `work` with the daemon that a command goes through, or with a run of its own, on the state folder of the config, or one of the
 * wallet's own.
 * @throws {SafetyError} with the line to add, for the config of a dry run, while the kill file is there, or with the key of another
 * wallet; nothing was sent
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
  // A cancel must be possible while the venue answers little else, and names no wallet.
  const atKey = async () => {
    const venue = venueOf(loaded);
    if (!isCancel) await requireOwnKey({ venue, clock: await clockOf(venue, context), context });
  };
  // Before the run pins what the venue lists: a plan names what nothing had pinned.
  const pins = isCancel ? NO_PINS : knownPins(loaded);
  return withManualRun({ loaded, stateDir, context, needs, atKey }, (manual) => {
    const unlisted = isCancel ? null : unlistedContracts(manual.listed(), pins);
    if (unlisted !== null) throw new ConfigError(`${unlisted}. Nothing was sent`);
    return work({ client: manual.client, context, manual: { ...manual, loaded, pins } });
  });
}

/** An order or a transfer of a command. `fields`: as its plan takes them; without a value they are left out. */
export type ManualSend = Readonly<{
  verb: 'orders' | 'transfers';
  fields: Readonly<Record<string, string | undefined>>;
  print: (row: Readonly<Record<string, unknown>>) => void;
  /** True for an order that may rest at the venue, or wait for the open: it is done once it does. */
  mayRest: boolean;
}>;

/**
 * Hands orders and transfers to a run, each once the one before is done: shows their plans, asks, gives each command once, and follows
 * it to its end.
 * @throws {SafetyError} when the run refuses one, {ConfigError} when it names something that is not there; {OutcomeUnknownError}
 * when no answer comes
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

/** Refusal of a later send: the one before has left. */
function afterFirst(error: unknown): unknown {
  if (!(error instanceof SafetyError || error instanceof ConfigError)) return error;
  const text = error.message.replace(
    / Nothing was sent$/,
    ' The order was not sent; the deposit before it is done',
  );
  return new SafetyError(text, error.details, { cause: error });
}

type ManualPlan = z.output<typeof planSchema>;

/** @throws {SafetyError} when the run would refuse it, {ConfigError} when it names something that is not there */
async function planOf({ verb, fields }: ManualSend, client: DaemonClient): Promise<ManualPlan> {
  const { planSchema: schema } = await import('../../ops/model/manualPlan.ts');
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(fields)) if (value !== undefined) query.set(name, value);
  const plan = await client.get(`/v1/plan/${verb}?${query.toString()}`, schema);
  const { refusal, refused } = plan;
  if (refusal !== null) throw refused === 'usage' ? new ConfigError(refusal) : new SafetyError(refusal);
  return plan;
}

/** Facts of a plan, with the pin of its token and, by the node, the name that it states itself. @throws {SafetyError} for another name */
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

/** Time between two questions for what became of it, in ms: of the machine, or of the venue where the run is the command's own. */
export const LOOK_MS = 500;
/** Longest time for which a command of its own looks for a send without an answer, in ms of the venue. */
export const DOUBT_MS = 300_000;

/** Follows a command until everything it sends has ended, unless told not to. Ctrl-C only ends the waiting. */
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

/** Ends an order of a command's own run that has not been sent: no later run may send it. One that has left meanwhile is cancelled. */
const withdraw = ({ client, given: { result } }: FollowOptions, reason: string): Promise<unknown> =>
  client.steer('cancel', { reason, orders: [String(result['intent'])] }).catch((error: unknown) => {
    // It has just ended.
    if (!(error instanceof SafetyError || error instanceof ConfigError)) throw error;
  });

/** Longest wait for the answer to a send under way once a person has stopped waiting for its end, in ms of the venue. */
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

/** Waits until the next question, by whichever clock gets there first: that of an emulated venue may stand still. */
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

/** True for a send without an answer, and for an order that the venue has taken and does not show. */
const isDoubtful = ({ sent }: CommandState, { verb }: ManualSend): boolean =>
  sent?.['state'] === 'unknown' || (verb === 'orders' && sent?.['state'] === 'acknowledged');

/** True once the send has an answer, or will have none. */
const isAnswered = ({ sent }: CommandState): boolean =>
  sent !== null && !UNANSWERED.has(String(sent['state']));

const UNANSWERED: ReadonlySet<string> = new Set(['planned', 'sent']);

const doubtText = ({ id }: Readonly<Record<string, unknown>>): string =>
  `${String(id)} has no answer, and the venue does not show it: it may or may not have it. The next run looks for it; nothing of its ` +
  `stock and side is sent before that. \`drover resolve ${String(id)} --reason TEXT\` closes it on your word`;

/** Exit code of a command that has come to its end; null while it continues. */
function endOf({ sent, ended, progress, answer }: CommandState, { mayRest }: ManualSend): number | null {
  if (answer === null) return null;
  if (mayRest && ended === null && RESTING.has(String(sent?.['state']))) return EXIT.done;
  if (!progress.isDone) return null;
  if (DONE.has(String(sent?.['status']))) return EXIT.done;
  if (sent?.['state'] === 'refused') return EXIT.venue;
  // Planned and not sent, or not even planned: a limit, a halt, a hold or a check of what would be signed has stopped it.
  const isStopped = sent === null ? ended?.how === 'dropped' : sent['state'] === 'abandoned';
  return isStopped ? EXIT.safety : EXIT.failed;
}

/** States of an order that continues without a command: it rests at the venue, or the run keeps it until its time. */
const RESTING: ReadonlySet<string> = new Set(['working', 'waiting']);

/** Words of a row whose send has done what was asked for. */
const DONE: ReadonlySet<string> = new Set(['Filled', 'success']);

/** Prints what a command has sent, and the reason of an end that is not what was asked for. */
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
