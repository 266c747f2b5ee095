import { formatDecimal, price as asPrice } from '../../core/amount.ts';
import { newYorkMinute } from '../../calendar/index.ts';
import { UNALLOCATED } from '../../domain/account/ledger.ts';
import { describeIntent, describeTerms, describeTransfer } from '../../domain/describe.ts';
import type {
  CommandProgress,
  KnownCommand,
  OperatorAnswer,
  OperatorRequest,
  Refusal,
  CommandOf,
} from '../../domain/operator/command.ts';
import { type Address, type Ticker, tickOf } from '../../domain/instrument.ts';
import { hasEnded } from '../../domain/orders/order.ts';
import { intentIdOf, latestOrder, type OrderIntent } from '../../domain/orders/orderIntent.ts';
import { transferHasEnded, type MoveTerms, type TransferId } from '../../domain/transfers/transfer.ts';
import type { Obstacles } from '../risk/gate.ts';
import { blockOn, restrictionText } from '../risk/restrictions.ts';
import type { EngineContext } from '../state/engineContext.ts';
import type { CommandAnswer } from '../state/kernelEvent.ts';
import type { Treasury } from '../treasury/treasury.ts';
import { unknownText, unsafe, usage } from './scopes.ts';

export type ManualParts = Readonly<{ treasury: Treasury; obstacles: Obstacles }>;

export type ManualCommand = CommandOf<'order' | 'transfer'>;

/** Manual orders and transfers, which pass the gate and the ledger of the run. */
export class ManualSends {
  readonly #context: EngineContext;
  readonly #parts: ManualParts;
  /** Intent of this step's order, answered once the executor has decided on it. */
  #ordered: OrderIntent | null = null;

  constructor(context: EngineContext, parts: ManualParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Reason to refuse an order or a transfer now; null if none. */
  against(command: ManualCommand): Refusal | null {
    if (command.kind === 'order') return this.#againstOrder(command);
    const why = this.#parts.treasury.againstManual(booked(command.terms));
    return why === null ? null : this.#held(why);
  }

  /** Refusal because of a hold on everything; without a daemon, with the remedy for differences of ledger and account. */
  #held(why: string): Refusal {
    const { isManual, isStarting } = this.#context;
    return unsent(isManual && isStarting ? `${why}. ${REMEDY}` : why);
  }

  /** Creates the intent of an order and returns null: the answer comes from `settled`. */
  order({ id: command, by, reason }: OperatorRequest, order: CommandOf<'order'>): Refusal | null {
    const refusal = this.against(order);
    if (refusal) return refusal;
    const outside = order.terms.kind === 'limit' && !this.#context.isManual ? 'wait' : 'refuse';
    const intent = this.#intentOf({ id: command, by, reason, command: order }, outside);
    this.#context.recordBringing(order.symbol, { kind: 'intentCreated', intent });
    this.#ordered = intent;
    return null;
  }

  #intentOf(
    { id: command, by, reason, command: order }: OperatorRequest & Readonly<{ command: CommandOf<'order'> }>,
    outside: OrderIntent['outside'],
  ): OrderIntent {
    const { now, accountState } = this.#context;
    const { symbol, terms, strategyId = UNALLOCATED } = order;
    return {
      id: intentIdOf(strategyId, accountState.intentCount + 1),
      strategyId,
      symbol,
      terms,
      reason: `by hand, ${by}: ${reason}`,
      at: now,
      notBefore: now,
      outside,
      after: [],
      command,
    };
  }

  /** Answer to the order of this step once the executor has decided on it; null if there is none. */
  settled(): CommandAnswer | null {
    const intent = this.#ordered;
    this.#ordered = null;
    if (!intent?.command) return null;
    return { id: intent.command, answer: this.#answerOf(intent) };
  }

  transfer({ id: command, by, reason }: OperatorRequest, transfer: CommandOf<'transfer'>): OperatorAnswer {
    const refusal = this.against(transfer);
    if (refusal) return refusal;
    const terms = booked(transfer.terms);
    const id = this.#parts.treasury.byHand({ terms, command, cause: `by hand, ${by}: ${reason}` });
    const caps = 'the caps of treasury policies do not apply by hand';
    return {
      kind: 'done',
      text: `${describeTransfer(transfer)} is on its way (${id}); ${caps}`,
      result: { transfer: id },
    };
  }

  /** Progress of a manual order or transfer. */
  progress(known: KnownCommand): CommandProgress {
    const { request, answer } = known;
    const base = { request, answer, cancelled: 0, sold: 0 };
    if (answer?.kind !== 'done') return { ...base, isDone: answer !== null, left: [] };
    const { transfer: transferId, intent: intentId } = answer.result;
    if (typeof transferId === 'string') {
      const transfer = this.#context.accountState.transfers.of(transferId as TransferId);
      const isDone = transferHasEnded(transfer);
      return { ...base, isDone, left: isDone ? [] : [describeTransfer(transfer)], transfer };
    }
    return { ...base, ...this.#orderProgress(String(intentId), known) };
  }

  #orderProgress(
    intentId: string,
    { ended }: KnownCommand,
  ): Pick<CommandProgress, 'isDone' | 'left' | 'order' | 'waiting' | 'ended' | 'sold' | 'cancelled'> {
    const order = latestOrder(this.#context.accountState, intentId);
    const intent = this.#context.accountState.intents.get(intentId);
    const isDone = intent === undefined && (order === undefined || hasEnded(order));
    const text = order ? describeTerms(order.terms) : intent ? describeIntent(intent) : '';
    const isSold = isDone && order?.terms.side === 'sell' && ended?.how === 'done';
    const cancelled = ended?.how === 'cancelled' ? 1 : 0;
    const waiting = !order && intent && intent.notBefore > this.#context.now ? intent : undefined;
    return { isDone, left: isDone ? [] : [text], order, waiting, ended, sold: isSold ? 1 : 0, cancelled };
  }

  #againstOrder(command: CommandOf<'order'>): Refusal | null {
    return this.#misnamed(command) ?? this.#againstTerms(command) ?? this.#againstNow(command);
  }

  #misnamed({ symbol, strategyId = UNALLOCATED }: CommandOf<'order'>): Refusal | null {
    const known = [...this.#context.market.instruments.keys()];
    if (known.includes(symbol)) return this.#misnamedStrategy(strategyId);
    return unknownName(`${symbol} is not listed at this venue`, symbol, known);
  }

  #misnamedStrategy(strategyId: string): Refusal | null {
    const known = [...this.#context.accountState.allocations.keys()];
    if (strategyId === UNALLOCATED || known.includes(strategyId)) return null;
    return unknownName(`no strategy ${strategyId} has money here`, strategyId, known);
  }

  #againstTerms({ symbol, terms }: CommandOf<'order'>): Refusal | null {
    if (terms.kind === 'target') return misuse('an order by hand has a size, not a target');
    if (terms.kind !== 'limit' || terms.price % tickOf(terms.price) === 0n) return null;
    const tick = formatDecimal(tickOf(asPrice(terms.price)));
    return misuse(`the limit of ${symbol} must be a multiple of ${tick}`);
  }

  /** Refusal for reasons that stop every order now. The executor decides on the rest, such as limits and money. */
  #againstNow({ symbol, terms, strategyId = UNALLOCATED }: CommandOf<'order'>): Refusal | null {
    const { holds, reads, isStarting, isManual, accountState, session, calendar, now } = this.#context;
    const restriction = accountState.trading.on({ strategyId, symbol });
    if (restriction && (restriction.state === 'halted' || !isSell(terms)))
      return unsent(restrictionText(restriction));
    const why = this.#parts.obstacles.reason('place') ?? holds.everything;
    if (why !== null) return this.#held(why);
    const held = this.#heldBack(symbol, terms);
    if (held !== null) return unsent(`${held}. It ends by itself: order again after that`);
    if (!reads.delegated) return unsent(this.#context.oneClickOff);
    if (isStarting) return unsent('the run has not begun to trade yet: try again in a moment');
    if (terms.kind === 'sellDeferred' && this.#context.rules.limits.debt === undefined)
      return unsent('limits.debt is not set: without it nothing is owed');
    if (session || terms.kind === 'limit') return null;
    const { phase } = calendar.phaseAt(now);
    return unsent(
      `market orders need the regular session, and now it is ${phase}. A limit order ${isManual ? 'is taken at any time' : 'waits for the open'}`,
    );
  }

  /** Hold on an order to be sent at once, since the price that a person saw would change meanwhile. Null if none. */
  #heldBack(symbol: Ticker, terms: CommandOf<'order'>['terms']): string | null {
    const { holds, isManual, session } = this.#context;
    if (!session && !isManual) return null;
    const isBuy = terms.kind !== 'sellDeferred' && !isSell(terms);
    const block = blockOn(this.#context, { symbol, kind: isBuy ? 'buy' : 'sell' });
    const held = block?.code === 'ON_HOLD' ? block.why : isManual ? holds.against(symbol) : null;
    return held ?? (isBuy ? holds.onCash : null);
  }

  #answerOf(intent: OrderIntent): OperatorAnswer {
    const { accountState } = this.#context;
    const text = describeIntent({ ...intent, reason: '' });
    const order = accountState.open.of(intent.id);
    const [id, waiting] = [intent.id, accountState.intents.get(intent.id)];
    if (order)
      return {
        kind: 'done',
        text: `${describeTerms(order.terms)} is being sent as order ${order.id}`,
        result: { intent: id, order: order.id, state: order.state.kind },
      };
    if (!waiting) {
      const { why } = (intent.command && accountState.commands.of(intent.command)?.ended) ?? {};
      return unsent(`${text}: ${why ?? 'it was dropped'}`);
    }
    return {
      kind: 'done',
      text: `${text} ${this.#whenText(waiting)}`,
      result: { intent: id, state: 'waiting' },
    };
  }

  #whenText({ notBefore }: OrderIntent): string {
    if (notBefore <= this.#context.now) return 'waits for its turn';
    return `waits until ${newYorkMinute(notBefore)} New York time`;
  }
}

/** Terms with the cash token as in the ledger: by its address in lower case. */
const booked = (terms: MoveTerms): MoveTerms =>
  'symbol' in terms ? terms : { ...terms, token: terms.token.toLowerCase() as Address };

/** Remedies for a difference of ledger and account, in a command without a daemon. */
const REMEDY =
  '`drover reconcile` shows both sides. `drover orders accept TX --reason TEXT` accepts an order as known, ' +
  '`drover accept ASSET --reason TEXT --yes` a balance';

const isSell = (terms: CommandOf<'order'>['terms']): boolean =>
  terms.kind === 'sell' || (terms.kind === 'limit' && terms.side === 'sell');

const misuse = (why: string): Refusal => usage(`${why}. Nothing was sent`);
const unsent = (why: string): Refusal => unsafe(`${why}. Nothing was sent`);
const unknownName = (problem: string, name: string, known: readonly string[]): Refusal =>
  usage(unknownText(problem, { name, known }, 'Nothing was sent'));
