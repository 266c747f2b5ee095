import type {
  CommandProgress,
  KnownCommand,
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
} from '../../domain/operator/command.ts';
import {
  describeScope,
  resumeCommand,
  type Scope,
  type TradingState,
} from '../../domain/operator/tradingState.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { OpenIntents } from '../intents/intents.ts';
import { sideOf } from '../intents/sizing.ts';
import { cancelAll, cancelledOf, cancelledText, openText } from './cancelling.ts';
import { Flattens } from './flatten.ts';
import { ordersIn, unknownScope, unknownText, unsafe, usage, waitingIn, type Known } from './scopes.ts';

export type SteeringParts = Readonly<{ intents: OpenIntents; known: Known }>;
type Of<K extends OperatorCommand['kind']> = Extract<OperatorCommand, { kind: K }>;

/** Trading states and cancels: what an operator restricts, and what follows from it. */
export class Steering {
  readonly flattens: Flattens;
  readonly #context: EngineContext;
  readonly #intents: OpenIntents;
  readonly #known: Known;

  constructor(context: EngineContext, { intents, known }: SteeringParts) {
    this.#context = context;
    this.#intents = intents;
    this.#known = known;
    this.flattens = new Flattens(context, { intents, known });
  }

  /**
   * Restricts trading of a scope. A halt is not loosened to `reducing`: only `resume` looks at what has to agree first. Given again,
   * it counts as new: it stops a flatten of before it, and a resume that has yet to be decided.
   */
  restrict(request: OperatorRequest, { state, scope, cancel = false }: Of<'trade'>): OperatorAnswer {
    const unknown = unknownScope(this.#context, scope, this.#known);
    if (unknown || state === 'active') return unknown ?? usage('trading is resumed by a look at the account');
    const before = this.#context.accountState.trading.of({ cause: 'operator', scope });
    if (before?.state === 'halted' && state === 'reducing')
      return unsafe(
        `trading of ${describeScope(scope)} is halted: ${before.reason}. \`${resumeCommand(scope)}\` lifts that first`,
      );
    const { by, reason } = request;
    this.#context.record({ kind: 'restricted', state, cause: 'operator', scope, by, reason });
    if (before?.state !== state)
      this.#context.notify(
        'account',
        `trading of ${describeScope(scope)} is ${state} by ${by}: ${reason}. \`${resumeCommand(scope)}\` ends that`,
      );
    const cancelled = cancel ? this.#cancelIn(request, scope, state === 'reducing') : 0;
    return {
      kind: 'done',
      text: `trading of ${describeScope(scope)} is ${state}${cancel ? `, ${cancelledText(cancelled)}` : ''}`,
      result: {
        state: this.#stateOf(scope),
        cancelled,
        sold: 0,
        left: cancel ? this.#openTexts(scope, request) : [],
      },
    };
  }

  /** Cancels the orders of a scope, or those that are named, and ends what waits there. */
  cancel(request: OperatorRequest, { scope, orders: ids }: Of<'cancel'>): OperatorAnswer {
    const unknown = unknownScope(this.#context, scope, this.#known);
    if (unknown) return unknown;
    const refusal = ids === undefined ? null : this.#unknownOrder(ids);
    if (refusal) return refusal;
    const why = whyOf(request);
    const cancelled =
      ids === undefined
        ? this.#cancelIn(request, scope, false)
        : cancelAll(
            this.#intents,
            {
              orders: [...this.#context.accountState.live.values()].filter(isNamed(ids)),
              waiting: waitingIn(this.#context, {}).filter(({ id }) => ids.includes(id)),
            },
            why,
          );
    const left = this.#openTexts(scope, request);
    return {
      kind: 'done',
      text: cancelled === 0 ? 'there was nothing to cancel' : cancelledText(cancelled),
      result: { state: this.#stateOf(scope), cancelled, sold: 0, left },
    };
  }

  freeze({ reason, by }: OperatorRequest, { symbol }: Of<'freeze'>): OperatorAnswer {
    const unknown = unknownScope(this.#context, { symbol }, this.#known);
    if (unknown) return unknown;
    const before = this.#context.accountState.frozen.get(symbol);
    this.#context.freeze(symbol, `${reason} (${by})`);
    const text =
      before === undefined
        ? `${symbol} is frozen`
        : `${symbol} was frozen already, and is now for this reason as well: ${before}`;
    return { kind: 'done', text, result: { symbol } };
  }

  stop({ by, reason }: OperatorRequest, { cancel = false }: Of<'stop'>): OperatorAnswer {
    this.#context.ask({ kind: 'stopRun', why: `asked to stop by ${by}: ${reason}`, cancel });
    const text = cancel ? 'the run is ending, and its open orders are cancelled' : 'the run is ending';
    return { kind: 'done', text, result: { cancel } };
  }

  /** Orders that a command has cancelled and that have not ended, and what a flatten has sold. */
  progress(known: KnownCommand): CommandProgress {
    const { request, answer } = known;
    const { command } = request;
    if (command.kind === 'flatten') return this.flattens.progress(known);
    const isCancelling = command.kind === 'cancel' || (command.kind === 'trade' && command.cancel === true);
    const left = isCancelling && answer?.kind === 'done' ? this.#openTexts(command.scope, request) : [];
    const isDone = answer !== null && left.length === 0;
    return { request, answer, isDone, cancelled: cancelledOf(answer), sold: 0, left };
  }

  /** The strictest state of everything in a scope, whatever its cause. */
  #stateOf(scope: Scope): TradingState {
    return this.#context.accountState.trading.over(scope)?.state ?? 'active';
  }

  /** Cancels what is in a scope, of the buys alone with `onlyBuys`; returns how many. */
  #cancelIn(request: OperatorRequest, scope: Scope, onlyBuys: boolean): number {
    const orders = ordersIn(this.#context, scope).filter(({ terms }) => !onlyBuys || terms.side === 'buy');
    const waiting = waitingIn(this.#context, scope).filter(
      (intent) => !onlyBuys || sideOf(this.#context, intent) === 'buy',
    );
    return cancelAll(this.#intents, { orders, waiting }, whyOf(request));
  }

  /** Refusal of ids that no open order or intent has; null when each is known. */
  #unknownOrder(ids: readonly string[]): OperatorAnswer | null {
    const { accountState } = this.#context;
    const known = [...accountState.intents.keys(), ...accountState.live.keys()];
    const id = ids.find((one) => !known.includes(one));
    if (id === undefined) return null;
    const ended = accountState.orders.get(id as OrderId);
    return ended
      ? usage(`order ${id} has ended already: ${ended.state.kind}. Nothing was changed`)
      : usage(unknownText(`no open order has the id ${id}`, { name: id, known }));
  }

  /** Texts of the orders that a command is about and that have not ended. Those planned since are not its. */
  #openTexts(scope: Scope, { id, command }: OperatorRequest): string[] {
    const at = this.#context.accountState.commands.of(id)?.at ?? this.#context.now;
    const ids = command.kind === 'cancel' ? command.orders : undefined;
    const onlyBuys = command.kind === 'trade' && command.state === 'reducing';
    return ordersIn(this.#context, scope)
      .filter((order) => order.plannedAt <= at && (ids === undefined || isNamed(ids)(order)))
      .filter(({ terms }) => !onlyBuys || terms.side === 'buy')
      .map(openText);
  }
}

const isNamed =
  (ids: readonly string[]) =>
  ({ id, intentId }: Order): boolean =>
    ids.includes(id) || ids.includes(intentId);

const whyOf = ({ by, reason }: OperatorRequest): string => `asked for by ${by}: ${reason}`;
