import { toIso } from '../../core/brand.ts';
import type {
  CommandProgress,
  KnownCommand,
  OperatorAnswer,
  OperatorRequest,
  CommandOf,
} from '../../domain/operator/command.ts';
import { describeScope, resumeCommand } from '../../domain/operator/tradingState.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import type { ExternalCancelEvent } from '../../domain/journalEvent.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { sideOf } from '../intents/sizing.ts';
import { cancelAll, cancelledOf, cancelledText, endedText, notEnding, openText } from './cancelling.ts';
import { causeOf, Flattens, type FlattenParts } from './flatten.ts';
import { heldIn, ordersIn, unknownScope, unknownText, unsafe, usage, waitingIn } from './scopes.ts';
import type { Restriction, Scope, TradingState } from '../../domain/operator/restriction.ts';

/** Trading states and cancels: an operator's restrictions and their consequences. */
export class Steering {
  readonly flattens: Flattens;
  readonly #context: EngineContext;
  readonly #parts: FlattenParts;

  constructor(context: EngineContext, parts: FlattenParts) {
    this.#context = context;
    this.#parts = parts;
    this.flattens = new Flattens(context, parts);
  }

  /**
   * Restricts trading in a scope. A halt is not loosened to `reducing`: only `resume` checks what must agree first. A
   * repeated restriction counts as new: it stops an earlier flatten, and a resume that is not decided yet.
   */
  restrict(request: OperatorRequest, { state, scope, cancel = false }: CommandOf<'trade'>): OperatorAnswer {
    const unknown = unknownScope(this.#context, scope, this.#parts.known);
    if (unknown || state === 'active') return unknown ?? usage('trading is resumed by a look at the account');
    const before = this.#context.accountState.trading.of({ cause: causeOf(request.by), scope });
    if (before?.state === 'halted' && state === 'reducing')
      return unsafe(
        `trading of ${describeScope(scope)} is halted: ${before.reason}. \`${resumeCommand(scope)}\` lifts that first`,
      );
    const { by, reason } = request;
    this.#context.record({ kind: 'restricted', state, cause: causeOf(by), scope, by, reason });
    if (before?.state !== state)
      this.#context.notify(
        'account',
        `trading of ${describeScope(scope)} is ${state} by ${by}: ${reason}. \`${resumeCommand(scope)}\` ends that`,
      );
    const armed = notEnding(this.#context);
    const cancelled = cancel ? this.#cancelIn(request, scope, state === 'reducing') : 0;
    return {
      kind: 'done',
      text: `trading of ${describeScope(scope)} is ${state}${alreadyText(state, before)}${cancel ? `, ${cancelledText(cancelled)}` : ''}${endedText(this.#context, armed)}`,
      result: {
        state: this.#stateOf(scope),
        cancelled,
        sold: 0,
        left: cancel ? this.#openTexts(scope, request) : [],
      },
    };
  }

  /** Cancels the orders of a scope, or the given ones, and ends the intents that wait there. */
  cancel(request: OperatorRequest, { scope, orders: ids }: CommandOf<'cancel'>): OperatorAnswer {
    const unknown = unknownScope(this.#context, scope, this.#parts.known);
    if (unknown) return unknown;
    const refusal = ids === undefined ? null : this.#unknownOrder(ids);
    if (refusal) return refusal;
    const why = whyOf(request);
    const externals = ids === undefined ? 0 : this.#cancelExternal(ids, why);
    const armed = notEnding(this.#context);
    const cancelled = ids === undefined ? this.#cancelIn(request, scope, false) : this.#cancelNamed(ids, why);
    const left = this.#openTexts(scope, request);
    return {
      kind: 'done',
      text:
        cancelled + externals === 0
          ? 'there was nothing to cancel'
          : `${cancelledText(cancelled + externals)}${endedText(this.#context, armed)}`,
      result: { state: this.#stateOf(scope), cancelled: cancelled + externals, sold: 0, left },
    };
  }

  /**
   * Cancels the given orders. A synthetic order ends as a whole, given by its own id or that of a child, so no leg is
   * placed again. The replacement of an order ends with it.
   */
  #cancelNamed(ids: readonly string[], why: string): number {
    const { live, synthetics, filledByIntent } = this.#context.accountState;
    const named = [...synthetics.live.values()].filter(
      ({ order, children }) => ids.includes(order.id) || children.some(({ id }) => ids.some(isOf(id))),
    );
    const orders = [...live.values()]
      .filter(isNamed(ids))
      .filter(({ intentId }) => synthetics.parentOf(intentId) === undefined);
    const intents = [...ids, ...orders.map(({ intentId }) => intentId)];
    const successors = new Set(intents.map((id) => filledByIntent.openSuccessorOf(id)));
    const waiting = waitingIn(this.#context, {}).filter(
      ({ id, parent }) => (ids.includes(id) || successors.has(id)) && parent === undefined,
    );
    return (
      this.#parts.synthetics.cancelAll(named, why) + cancelAll(this.#parts.intents, { orders, waiting }, why)
    );
  }

  /** Cancels the given external orders and thereby accepts them as known. Returns their number. */
  #cancelExternal(ids: readonly string[], why: string): number {
    const { open, unaccepted } = this.#context.accountState.externals;
    const named = ids.filter((id) => open.has(id));
    for (const txHash of named) {
      if (unaccepted.has(txHash)) this.#context.record({ kind: 'externalAccepted', txHash, reason: why });
      this.#context.record({ kind: 'externalCancel', txHash, event: { kind: 'wanted' } });
      this.#context.ask({ kind: 'cancelExternal', txHash });
    }
    return named.length;
  }

  freeze({ reason, by }: OperatorRequest, { symbol }: CommandOf<'freeze'>): OperatorAnswer {
    const unknown = unknownScope(this.#context, { symbol }, this.#parts.known);
    if (unknown) return unknown;
    const before = this.#context.accountState.frozen.get(symbol);
    this.#context.freeze(symbol, `${reason} (${by})`);
    const text =
      before === undefined
        ? `${symbol} is frozen`
        : `${symbol} was frozen already, and is now for this reason as well: ${before}`;
    return { kind: 'done', text, result: { symbol } };
  }

  stop({ by, reason }: OperatorRequest, { cancel = false }: CommandOf<'stop'>): OperatorAnswer {
    this.#context.ask({ kind: 'stopRun', why: `asked to stop by ${by}: ${reason}`, cancel });
    const text = cancel ? 'the run is ending, and its open orders are cancelled' : 'the run is ending';
    return { kind: 'done', text, result: { cancel } };
  }

  /** Progress of a command: its cancelled orders that have not ended yet, and what a flatten has sold. */
  progress(known: KnownCommand): CommandProgress {
    const { request, answer } = known;
    const { command } = request;
    if (command.kind === 'flatten') return this.flattens.progress(known);
    const isCancelling = command.kind === 'cancel' || (command.kind === 'trade' && command.cancel === true);
    const left = isCancelling && answer?.kind === 'done' ? this.#openTexts(command.scope, request) : [];
    const named = command.kind === 'cancel' && command.orders !== undefined ? command.orders : [];
    const given = this.#openExternals(named).filter(([, cancel]) => cancel && 'reason' in cancel);
    // The cancel of an external order is not retried.
    const isDone = answer !== null && left.length === given.length;
    return { request, answer, isDone, cancelled: cancelledOf(answer), sold: 0, left };
  }

  /** The strictest trading state in a scope, whatever its cause. */
  #stateOf(scope: Scope): TradingState {
    return this.#context.accountState.trading.over(scope)?.state ?? 'active';
  }

  /** Cancels everything in a scope, or only the buys with `onlyBuys`; returns the number. */
  #cancelIn(request: OperatorRequest, scope: Scope, onlyBuys: boolean): number {
    const why = whyOf(request);
    const { synthetics } = this.#context.accountState;
    const held = heldIn(this.#context, scope);
    const ended = onlyBuys
      ? held.filter((state) => this.#parts.synthetics.cancelEntry(state, why)).length
      : this.#parts.synthetics.cancelAll(held, why);
    const orders = ordersIn(this.#context, scope)
      .filter(({ terms }) => !onlyBuys || terms.side === 'buy')
      .filter(({ intentId }) => synthetics.parentOf(intentId) === undefined);
    const waiting = waitingIn(this.#context, scope).filter(
      (intent) => intent.parent === undefined && (!onlyBuys || sideOf(this.#context, intent) === 'buy'),
    );
    return ended + cancelAll(this.#parts.intents, { orders, waiting }, why);
  }

  /** Refusal of ids that match no open order or intent; null if all are known. */
  #unknownOrder(ids: readonly string[]): OperatorAnswer | null {
    const { accountState } = this.#context;
    const { intents, live, synthetics, externals } = accountState;
    const known = [...intents.keys(), ...live.keys(), ...synthetics.live.keys()];
    const id = ids.find((one) => !known.includes(one) && !externals.open.has(one));
    if (id === undefined) return null;
    const ended = accountState.orders.get(id as OrderId);
    return ended
      ? usage(`order ${id} has ended already: ${ended.state.kind}. Nothing was changed`)
      : usage(unknownText(`no open order has the id ${id}`, { name: id, known }));
  }

  /** Texts of a command's orders that have not ended. Orders planned after the command are not included. */
  #openTexts(scope: Scope, { id, command }: OperatorRequest): string[] {
    const at = this.#context.accountState.commands.of(id)?.at ?? this.#context.now;
    const ids = command.kind === 'cancel' ? command.orders : undefined;
    const onlyBuys = command.kind === 'trade' && command.state === 'reducing';
    const externals = this.#openExternals(ids ?? []).map(
      ([txHash, cancel]) => `external order ${txHash}${cancelText(cancel)}`,
    );
    return ordersIn(this.#context, scope)
      .filter((order) => order.plannedAt <= at && (ids === undefined || isNamed(ids)(order)))
      .filter(({ terms }) => !onlyBuys || terms.side === 'buy')
      .map(openText)
      .concat(externals);
  }

  /** Open external orders among the given ones, each with the latest state of its cancel. */
  #openExternals(ids: readonly string[]): (readonly [string, ExternalCancelEvent | undefined])[] {
    const { open, cancels } = this.#context.accountState.externals;
    return ids.filter((id) => open.has(id)).map((txHash) => [txHash, cancels.get(txHash)] as const);
  }
}

/** Text saying since when that state was set, by whom and why; empty if it was not. */
const alreadyText = (state: TradingState, before: Restriction | undefined): string =>
  before?.state === state ? ` already, since ${toIso(before.since)}, by ${before.by}: ${before.reason}` : '';

const cancelText = (cancel: ExternalCancelEvent | undefined): string =>
  cancel && 'reason' in cancel
    ? `: its cancel ${cancel.kind === 'lost' ? 'has no answer' : 'was not taken'}, ${cancel.reason}`
    : ': its cancel is under way';

const isNamed =
  (ids: readonly string[]) =>
  ({ id, intentId }: Order): boolean =>
    ids.includes(id) || ids.includes(intentId);

/** True for the id of an intent, or of one of its orders. */
const isOf =
  (intent: string) =>
  (id: string): boolean =>
    id === intent || id.startsWith(`${intent}.`);

const whyOf = ({ by, reason }: OperatorRequest): string => `asked for by ${by}: ${reason}`;
