import type {
  CommandId,
  CommandProgress,
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
} from '../../domain/operator/command.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { KernelEvent } from '../state/kernelEvent.ts';
import { Decisions, type DecisionParts } from './decisions.ts';
import { HandSends, type HandParts } from './handSends.ts';
import { Steering, type SteeringParts } from './steering.ts';

type OperatorParts = Readonly<{
  steering: SteeringParts;
  decisions: DecisionParts;
  handSends: HandParts;
}>;

/**
 * Carries out the commands of operators. Each is journaled first and answered once: in its own step, or, when the account
 * decides it, in the step after a complete look that began later than the command.
 */
export class Operator {
  readonly #context: EngineContext;
  readonly #steering: Steering;
  readonly #decisions: Decisions;
  readonly #handSends: HandSends;

  constructor(context: EngineContext, parts: OperatorParts) {
    this.#context = context;
    this.#steering = new Steering(context, parts.steering);
    this.#decisions = new Decisions(context, parts.decisions);
    this.#handSends = new HandSends(context, parts.handSends);
  }

  /** Takes a command; one whose id is known gets its first answer again, and nothing is done. */
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
    else if (command.kind !== 'order') this.#context.ask({ kind: 'lookAtAll', id });
  }

  /** Answers an order by hand of this step, once intents have become orders. */
  settle(): void {
    const settled = this.#handSends.settled();
    if (settled) this.#answer(settled.id, settled.answer);
  }

  /** Decides a command that has waited for a complete look. */
  looked({ id, complete }: Extract<KernelEvent, { kind: 'lookedAtAll' }>): void {
    const known = this.#context.accountState.commands.of(id);
    if (!known || known.answer) return;
    this.#answer(id, complete ? this.#decisions.decide(known.request) : UNREAD);
  }

  /** Answers commands that an earlier run has not decided: it ended before its look was complete. */
  recovered(): void {
    for (const { request, answer } of this.#context.accountState.commands.all)
      if (!answer) this.#answer(request.id, INTERRUPTED);
  }

  /** Takes kill files as they appear and go. */
  killFiles(there: readonly string[]): void {
    this.#steering.killFiles(there);
  }

  /** Continues what takes longer than one step: a flatten. */
  check(): void {
    this.#steering.check();
  }

  /** Progress of a command; null for an unknown id. */
  progress(id: CommandId): CommandProgress | null {
    const known = this.#context.accountState.commands.of(id);
    if (!known) return null;
    const { kind } = known.request.command;
    const isHandSend = kind === 'order' || kind === 'transfer';
    return isHandSend ? this.#handSends.progress(known) : this.#steering.progress(known);
  }

  /** Answer of a command; null for one that waits for a look, or for the end of the step. */
  #carryOut(request: OperatorRequest, command: OperatorCommand): OperatorAnswer | null {
    switch (command.kind) {
      case 'trade':
        return command.state === 'active' ? null : this.#steering.restrict(request, command);
      case 'cancel':
        return this.#steering.cancel(command);
      case 'flatten':
        return this.#steering.flatten(request, command);
      case 'freeze':
        return this.#steering.freeze(request, command);
      case 'stop':
        return this.#steering.stop(request, command);
      case 'unfreeze':
      case 'accept':
      case 'acceptOrder':
      case 'resolve':
        return this.#decisions.begin(request);
      case 'order':
        return this.#handSends.order(request, command);
      case 'transfer':
        return this.#handSends.transfer(request, command);
      case 'acknowledge':
        return { kind: 'done', text: 'acknowledged', result: {} };
      case 'reload':
        return { kind: 'done', text: 'the new limits apply', result: { changes: command.changes } };
    }
  }

  #answer(id: CommandId, answer: OperatorAnswer): void {
    this.#context.record({ kind: 'operatorAnswered', id, answer });
    this.#context.answer({ id, answer });
  }
}

const UNREAD: OperatorAnswer = {
  kind: 'refused',
  because: 'safety',
  text: 'the venue could not be read completely: nothing was changed, try again',
};
const INTERRUPTED: OperatorAnswer = {
  kind: 'refused',
  because: 'safety',
  text: 'the run ended before the venue had been read for it: nothing was changed, give the command again',
};
