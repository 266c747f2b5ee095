import { orAt } from '../../core/errors.ts';
import type {
  CommandProgress,
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
  Refusal,
  Reload,
  CommandOf,
} from '../../domain/operator/command.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { SettingChange, Settings } from '../../domain/operator/settings.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { StockTermsCheck } from '../account/termsCheck.ts';
import type { KernelEvent, VenueLook } from '../state/kernelEvent.ts';
import { Refused } from './decision.ts';
import { Decisions } from './decisions.ts';
import { ManualSends, type ManualCommand, type ManualParts } from './manualSends.ts';
import type { JournalEventOf } from '../../domain/journalEvent.ts';
import { KillFiles } from './killFiles.ts';
import type { FlattenParts } from './flatten.ts';
import { Steering } from './steering.ts';
import { unsafe, usage } from './scopes.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';
import { newYorkClock, type Session } from '../../calendar/index.ts';
import { describeIntent, describeSynthetic } from '../../domain/describe.ts';

type OperatorParts = FlattenParts & ManualParts & Readonly<{ stockTerms: StockTermsCheck }>;

/** `since`: time at which the command was received; `looks`: number of reads since. */
type PendingLook = Readonly<{ since: EpochMs; looks: number }>;

/** Maximum number of reads that a command waits for while orders or transfers move during each. */
const LOOKS_MAX = 5;

/**
 * Carries out the commands of operators. Each is journaled first and answered once: in its own step or, if it is
 * decided on the account, after a full read of the venue that began later than the command.
 */
export class Operator {
  readonly #context: EngineContext;
  readonly #steering: Steering;
  readonly #decisions: Decisions;
  readonly #manualSends: ManualSends;
  readonly #killFiles: KillFiles;
  /** Commands of this process that wait for a read: when each was received, and its number of reads so far. */
  readonly #waiting = new Map<CommandId, PendingLook>();

  constructor(context: EngineContext, parts: OperatorParts) {
    this.#context = context;
    this.#steering = new Steering(context, parts);
    this.#killFiles = new KillFiles(context);
    this.#decisions = new Decisions(context, parts.stockTerms, this.#killFiles);
    this.#manualSends = new ManualSends(context, parts);
  }

  /** Handles a command. One with a known id gets its first answer again, and nothing is done. */
  take({ id, by, reason, command }: OperatorRequest): void {
    const known = this.#context.accountState.commands.of(id);
    if (known) {
      if (known.answer) this.#context.answer({ id, answer: known.answer });
      return;
    }
    const request = { id, by, reason, command };
    this.#context.record({ kind: 'operator', ...request });
    const answer = this.#carryOut(request, command);
    if (answer) this.#answer(id, answer);
    else if (command.kind !== 'order') this.#look(id, { since: this.#context.now, looks: 0 });
  }

  /** Answers a manual order of this step, once intents have become orders. */
  settle(): void {
    const settled = this.#manualSends.settled();
    if (settled) this.#answer(settled.id, settled.answer);
  }

  /** Decides a command after the full read that it has waited for. */
  looked({ id, asked, look }: Extract<KernelEvent, { kind: 'lookedAtAll' }>): void {
    const known = this.#context.accountState.commands.of(id);
    const waiting = this.#waiting.get(id);
    if (!known || !waiting) return;
    const { since, looks } = waiting;
    if (look === null) return this.#refuse(known.request, UNREAD);
    if (asked < since) return this.#look(id, waiting);
    if (look.moves !== this.#context.moves) {
      if (looks >= LOOKS_MAX) return this.#refuse(known.request, MOVING);
      return this.#look(id, { since, looks: looks + 1 });
    }
    this.#decide(known.request, { since, looks: looks + 1 }, look);
  }

  /** Answers commands that an earlier run did not decide because it ended before the read was complete. */
  recovered(): void {
    for (const { request, answer } of this.#context.accountState.commands.all)
      if (!answer) this.#answer(request.id, INTERRUPTED);
  }

  /** Applies kill files as they appear and are removed. */
  killFiles(there: readonly string[]): void {
    const request = this.#killFiles.take(there);
    if (request) this.take(request);
  }

  /** Continues commands that take more than one step: flattens. */
  check(): void {
    this.#steering.flattens.check();
  }

  /** Stops selling for flattens, because the run ends. */
  stop(): void {
    this.#steering.flattens.stop();
  }

  /** Ends a flatten as a replay's journal has it. */
  endFlatten(fact: JournalEventOf<'flattened'>): void {
    this.#steering.flattens.end(fact);
  }

  /** Reason to refuse a manual order or transfer as of the latest step, or null. */
  against(command: ManualCommand): Refusal | null {
    return this.#manualSends.against(command);
  }

  /** Progress of a command; null for an unknown id. */
  progress(id: CommandId): CommandProgress | null {
    const known = this.#context.accountState.commands.of(id);
    if (!known) return null;
    const { kind } = known.request.command;
    const isManualSend = kind === 'order' || kind === 'transfer';
    return isManualSend ? this.#manualSends.progress(known) : this.#steering.progress(known);
  }

  /** Answer to a command; null if it waits for a read, or for the end of the step. */
  #carryOut(request: OperatorRequest, command: OperatorCommand): OperatorAnswer | null {
    switch (command.kind) {
      case 'trade':
        return command.state === 'active' ? this.#begin(request) : this.#steering.restrict(request, command);
      case 'cancel':
        return this.#steering.cancel(request, command);
      case 'flatten':
        return this.#steering.flattens.begin(request, command);
      case 'freeze':
        return this.#steering.freeze(request, command);
      case 'stop':
        return this.#steering.stop(request, command);
      case 'unfreeze':
      case 'accept':
      case 'acceptOrder':
      case 'resolve':
        return this.#begin(request);
      case 'order':
        return this.#manualSends.order(request, command);
      case 'transfer':
        return this.#manualSends.transfer(request, command);
      case 'acknowledge':
        return acknowledged(command);
      case 'reload':
        return this.#reload(command);
    }
  }

  #begin(request: OperatorRequest): OperatorAnswer | null {
    const refused = orRefused(() => this.#decisions.refuse(request)) ?? null;
    if (!refused) this.#decisions.begin(request);
    return refused;
  }

  #look(id: CommandId, waiting: PendingLook): void {
    this.#waiting.set(id, waiting);
    this.#context.ask({ kind: 'lookAtAll', id });
  }

  #decide(request: OperatorRequest, waiting: PendingLook, look: VenueLook): void {
    const { id, by, reason } = request;
    const decision = orRefused(() => this.#decisions.decide(request, look, waiting.looks));
    if (decision === null) return this.#look(id, waiting);
    if ('kind' in decision) return this.#refuse(request, decision);
    const { text, result, events } = decision;
    if (events.length > 0) {
      this.#decisions.carryOut(events);
      this.#context.notify('info', `${text.split('\n').at(-1) ?? ''} (${by}: ${reason})`);
    }
    this.#answer(id, { kind: 'done', text, result });
  }

  #refuse(request: OperatorRequest, answer: OperatorAnswer): void {
    this.#decisions.end(request);
    this.#answer(request.id, answer);
  }

  #reload(reload: Reload): OperatorAnswer {
    const { settings, refusal } = reload;
    if (refusal) return { kind: 'refused', ...refusal };
    if (settings) this.#apply(settings);
    const { changes, needsRestart = [], dryRun = false } = reload;
    return { kind: 'done', text: reloadText(reload), result: { changes, needsRestart, dryRun } };
  }

  #apply(settings: Settings): void {
    const { calendar, now } = this.#context;
    const session = calendar.sessionAt(now) ?? calendar.nextSession(now);
    this.#context.applySettings(settings);
    if (settings.calendar) warnOfLostTimes(this.#context, session);
  }

  #answer(id: CommandId, answer: OperatorAnswer): void {
    this.#waiting.delete(id);
    this.#context.record({ kind: 'operatorAnswered', id, answer });
    this.#context.answer({ id, answer });
  }
}

function reloadText({ changes, needsRestart = [], dryRun = false }: Reload): string {
  const lines = Object.entries(changes as Readonly<Record<string, SettingChange>>).map(
    ([path, { from, to }]) => `${path}: ${from} → ${to}`,
  );
  const restart = needsRestart.map((path) => `${path}: needs a restart, and is not applied`);
  if (lines.length === 0)
    return [
      'nothing to apply: limits, polling, external, calendar and control.money are as they were',
      ...restart,
    ].join('\n');
  return [dryRun ? 'would apply:' : 'applies from now on:', ...lines, ...restart].join('\n');
}

function acknowledged({ alarm, alarms = [] }: CommandOf<'acknowledge'>): OperatorAnswer {
  if (alarm !== undefined && alarms.length === 0)
    return usage(`there is no alarm ${alarm}, or it is over: \`drover status\` lists the alarms of this run`);
  const text = alarms.map((one) => `${one.id} ${one.text}`).join('\n');
  return {
    kind: 'done',
    text: text === '' ? 'no alarm waits to be acknowledged' : `acknowledged:\n${text}`,
    result: { acknowledged: alarms },
  };
}

const UNREAD = unsafe('the venue could not be read completely: nothing was changed, try again');
const MOVING = unsafe(
  'orders or transfers moved each time the account was read: nothing was changed, try again',
);
const INTERRUPTED = unsafe(
  'the run ended before the venue had been read for it, and it is not carried out: look with `drover status` what is so now, and give it again where it is still needed',
);

const orRefused = <Done>(work: () => Done): Done | Refused['answer'] =>
  orAt(Refused, work, ({ answer }) => answer);

/**
 * Raises an alarm for orders whose time was lost when a reload of the calendar shortened or removed their session: they
 * keep it, and would act in a later session, or not at all.
 */
function warnOfLostTimes(context: EngineContext, before: Session): void {
  const { calendar, accountState, now } = context;
  const after = calendar.sessionOn(before.date);
  const close = after?.close ?? now;
  const lost = (times: readonly (EpochMs | null | undefined)[]) =>
    times.find((at) => at !== null && at !== undefined && at > close && at <= before.close);
  const named = (text: string, at: EpochMs | null | undefined) =>
    at ? [`${text} (${newYorkClock(at)})`] : [];
  const intents = [...accountState.intents.values()].flatMap((intent) =>
    named(describeIntent(intent), lost([intent.notBefore])),
  );
  const held = [...accountState.synthetics.live.values()].flatMap(({ order, exitAt }) => {
    const until = order.terms.kind === 'work' ? order.terms.until : null;
    return named(describeSynthetic(order), lost([order.notBefore, order.expires, exitAt, until]));
  });
  const all = [...intents, ...held];
  if (all.length === 0) return;
  const hours = after ? `closes at ${newYorkClock(after.close)}` : 'is closed';
  context.notify(
    'alarm',
    `the session of ${before.date} ${hours} now, and these orders keep their times after it: ${all.join(', ')}. ` +
      'What must not be held over night is to be sold by hand: `drover flatten`, or `drover orders place`',
    { code: 'TIMERS_MISSED' },
  );
}
