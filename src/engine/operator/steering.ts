import type {
  CommandProgress,
  KnownCommand,
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
} from '../../domain/operator/command.ts';
import { covers } from '../../domain/operator/tradingState.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { OpenIntents } from '../intents/intents.ts';

export type SteeringParts = Readonly<{ intents: OpenIntents }>;
type Of<K extends OperatorCommand['kind']> = Extract<OperatorCommand, { kind: K }>;

/** Trading states, cancels and flattens: what an operator restricts, and what follows from it. */
export class Steering {
  readonly #context: EngineContext;
  readonly #intents: OpenIntents;

  constructor(context: EngineContext, { intents }: SteeringParts) {
    this.#context = context;
    this.#intents = intents;
  }

  restrict({ by, reason }: OperatorRequest, { state, scope }: Of<'trade'>): OperatorAnswer {
    if (state !== 'active')
      this.#context.record({ kind: 'restricted', state, cause: 'operator', scope, by, reason });
    return { kind: 'done', text: `trading is ${state}`, result: { state, cancelled: 0, sold: 0, left: [] } };
  }

  cancel({ scope }: Of<'cancel'>): OperatorAnswer {
    for (const intent of [...this.#context.accountState.intents.values()])
      if (covers(scope, intent)) this.#intents.cancel(intent.id, 'cancelled by an operator');
    return { kind: 'done', text: 'orders are cancelled', result: { left: [] } };
  }

  flatten(_request: OperatorRequest, _command: Of<'flatten'>): OperatorAnswer {
    return MISSING;
  }

  freeze({ reason, by }: OperatorRequest, { symbol }: Of<'freeze'>): OperatorAnswer {
    this.#context.freeze(symbol, `${reason} (${by})`);
    return { kind: 'done', text: `${symbol} is frozen`, result: { symbol } };
  }

  stop({ by, reason }: OperatorRequest, { cancel = false }: Of<'stop'>): OperatorAnswer {
    this.#context.ask({ kind: 'stopRun', why: `asked to stop by ${by}: ${reason}`, cancel });
    return { kind: 'done', text: 'the run ends', result: {} };
  }

  killFiles(_there: readonly string[]): void {}

  check(): void {}

  progress({ request, answer }: KnownCommand): CommandProgress {
    return { request, answer, isDone: answer !== null, cancelled: 0, sold: 0, left: [] };
  }
}

const MISSING: OperatorAnswer = { kind: 'refused', because: 'safety', text: 'not possible yet' };
