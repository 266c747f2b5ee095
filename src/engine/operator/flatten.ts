import { formatDecimal, notionalOf, shares, type Price, type Shares } from '../../core/amount.ts';
import { newYorkClock, newYorkMinute } from '../../calendar/index.ts';
import { epochMs, type EpochMs } from '../../core/brand.ts';
import type { AccountState } from '../../domain/account/accountState.ts';
import { ownerName, UNALLOCATED } from '../../domain/account/ledger.ts';
import { MIN_NOTIONAL } from '../../domain/fees.ts';
import type { Instrument, Ticker } from '../../domain/instrument.ts';
import type { JournalEventOf } from '../../domain/journalEvent.ts';
import type {
  CommandProgress,
  KnownCommand,
  OperatorAnswer,
  OperatorRequest,
  CommandOf,
} from '../../domain/operator/command.ts';
import { covers, describeScope, isSame, resumeCommand } from '../../domain/operator/tradingState.ts';
import { filledOf, isInDoubt } from '../../domain/orders/order.ts';
import { attemptsOf, latestOrder, type OrderIntent } from '../../domain/orders/orderIntent.ts';
import type { OpenIntents } from '../intents/intents.ts';
import { sellableOf, WHOLE_SHARES } from '../intents/sizing.ts';
import type { SyntheticOrders } from '../synthetic/syntheticOrders.ts';
import { DRAWDOWN_LIMIT } from '../risk/drawdowns.ts';
import { sureShares } from '../risk/limits.ts';
import { blockOn, restrictionOn, restrictionText } from '../risk/restrictions.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { windowFor } from '../state/tradingWindow.ts';
import { cancelAll, cancelledOf, cancelledText, endedText, notEnding, openText } from './cancelling.ts';
import { heldIn, ordersIn, unknownScope, usage, waitingIn, type ScopeNames } from './scopes.ts';
import type { Restriction, RestrictionCause, Scope } from '../../domain/operator/restriction.ts';

type FlattenCommand = CommandOf<'flatten'>;
type Flatten = Omit<KnownCommand, 'request'> &
  Readonly<{ request: OperatorRequest & Readonly<{ command: FlattenCommand }> }>;

/** Shares of one owner that a flatten is to sell. */
type Position = Readonly<{ strategyId: string; symbol: Ticker; held: Shares }>;

/** Prospect of a position. `dust`: less than the venue's minimum, and why; `waiting`: why it cannot be sold now. */
type Outlook = Readonly<
  | { kind: 'sellable'; instrument: Instrument }
  | { kind: 'dust'; why: string }
  | { kind: 'waiting'; why: string }
>;

export type FlattenParts = Readonly<{ intents: OpenIntents; synthetics: SyntheticOrders; known: ScopeNames }>;

/** Last attempt to sell a position, and its intent. `failed`: number of consecutive attempts that sold nothing. */
type Attempt = Readonly<{ at: EpochMs; held: Shares; failed: number; intentId: string }>;

/** Name under which kill files halt trading and give the commands that `limits.onKill` requests. */
export const KILL_FILE = 'kill file';

/** Cause of the restriction set by a command, depending on who gives it. */
export function causeOf(by: string): RestrictionCause {
  if (by === KILL_FILE) return 'kill file';
  return by === DRAWDOWN_LIMIT ? 'drawdown' : 'operator';
}

/** True for the halt that a flatten runs under: lifting it ends the flatten. */
export const isHaltOfFlatten = (
  { commands }: Pick<AccountState, 'commands'>,
  { cause, scope }: Pick<Restriction, 'cause' | 'scope'>,
): boolean =>
  [...commands.flattening].some((id) => {
    const request = commands.of(id)?.request;
    return (
      request?.command.kind === 'flatten' &&
      causeOf(request.by) === cause &&
      isSame(haltedScope(request.by, request.command), scope)
    );
  });

/** Scope of the halt of a flatten: a kill file halts everything. */
const haltedScope = (by: string, { scope }: FlattenCommand): Scope => (by === KILL_FILE ? {} : scope);

/** Default pause in ms after an attempt that sold nothing, and its maximum: it doubles with each such attempt. */
const PAUSE_MS = 60_000;
const PAUSE_MAX_MS = 600_000;

/**
 * Flattens: each halts its scope, cancels its open orders, waits for their ends, and sells the strategies' holdings. It continues
 * across sessions and restarts until nothing is left or its halt is lifted. At most one sell per position is under way.
 */
export class Flattens {
  readonly #context: EngineContext;
  readonly #parts: FlattenParts;
  readonly #attempts = new Map<string, Attempt>();
  #isStopping = false;

  constructor(context: EngineContext, parts: FlattenParts) {
    this.#context = context;
    this.#parts = parts;
  }

  /** Halts the scope and cancels its orders. The sells follow with the next checks. */
  begin({ id, by, reason }: OperatorRequest, { scope, unallocated = false }: FlattenCommand): OperatorAnswer {
    const unknown = unknownScope(this.#context, scope, this.#parts.known);
    if (unknown) return unknown;
    if (unallocated && scope.strategyId !== undefined)
      return usage('unallocated stock belongs to no strategy: give `unallocated` without a strategy');
    const restriction = { state: 'halted', cause: causeOf(by), scope, by, reason, command: id } as const;
    if (by !== KILL_FILE) this.#context.record({ kind: 'restricted', ...restriction });
    const what = describeScope(scope);
    const positions = this.#positions(scope, unallocated);
    const sale = this.#saleText(positions);
    this.#context.notify('account', `${what} is halted, and ${sale}; asked for by ${by}: ${reason}`);
    const why = `asked for by ${by}: ${reason}`;
    const { synthetics } = this.#context.accountState;
    const armed = notEnding(this.#context);
    const held = this.#parts.synthetics.cancelAll(heldIn(this.#context, scope), why);
    const orders = ordersIn(this.#context, scope).filter(
      ({ intentId }) => synthetics.parentOf(intentId) === undefined,
    );
    const waiting = waitingIn(this.#context, scope).filter(({ parent }) => parent === undefined);
    const cancelled = held + cancelAll(this.#parts.intents, { orders, waiting }, why);
    const left = [
      ...ordersIn(this.#context, scope).map(openText),
      ...positions.map((position) => heldText(position)),
    ];
    const text = `${what} is halted; ${cancelledText(cancelled)}, and ${sale}${endedText(this.#context, armed)}`;
    return { kind: 'done', text, result: { state: 'halted', cancelled, sold: 0, left } };
  }

  /** Text saying when positions are sold: at once, or from the next open. */
  #saleText(positions: readonly Position[]): string {
    const { calendar, now } = this.#context;
    if (positions.length === 0) return 'no strategy holds anything';
    const trading = positions.filter((position) => windowFor(this.#context, position));
    if (trading.length === positions.length) return 'what is held is being sold';
    if (trading.length > 0)
      return `${trading.map(({ symbol }) => symbol).join(', ')} is being sold, the rest once it trades again`;
    return `what is held is sold from the open on, ${timeText(calendar.nextSession(now).open)}`;
  }

  /** Continues every flatten that has not ended. Costs nothing if there is none. */
  check(): void {
    const { flattening } = this.#context.accountState.commands;
    if (flattening.size === 0) return;
    for (const id of [...flattening]) {
      const flatten = this.#of(id);
      if (flatten) this.#continue(flatten);
    }
  }

  /** Stops selling for the rest of this run. */
  stop(): void {
    this.#isStopping = true;
  }

  /** Ends a flatten: unsent sells are no longer sent. */
  end(fact: JournalEventOf<'flattened'>): void {
    this.#context.record(fact);
    for (const { id, command } of [...this.#context.accountState.intents.values()])
      if (command === fact.id) this.#parts.intents.cancel(id, fact.why);
  }

  progress(known: KnownCommand): CommandProgress {
    const { request, answer } = known;
    const flatten = this.#of(request.id);
    const { accountState } = this.#context;
    const isRunning = accountState.commands.flattening.has(request.id);
    const orders = known.intents.flatMap((intent) => attemptsOf(accountState, intent));
    return {
      request,
      answer,
      isDone: answer !== null && !isRunning,
      cancelled: cancelledOf(answer),
      sold: orders.filter((order) => filledOf(order) > 0n).length,
      left: flatten && isRunning ? this.#left(flatten) : known.left,
    };
  }

  #of(id: KnownCommand['request']['id']): Flatten | null {
    const known = this.#context.accountState.commands.of(id);
    if (known?.request.command.kind !== 'flatten') return null;
    return { ...known, request: { ...known.request, command: known.request.command } };
  }

  #continue(flatten: Flatten): void {
    const { id, command } = flatten.request;
    if (!this.#isHalted(flatten)) return this.end({ kind: 'flattened', id, ...this.#resumed(flatten) });
    if (this.#context.isStarting || this.#context.isManual || this.#isStopping) return;
    const positions = this.#positionsOf(flatten).map((position) => ({
      position,
      outlook: this.#outlook(flatten, position),
    }));
    for (const { position, outlook } of positions)
      if (outlook.kind === 'sellable') this.#sell(flatten, position, outlook.instrument);
    const isOver = positions.every(({ outlook }) => outlook.kind === 'dust');
    if (!isOver || ordersIn(this.#context, command.scope).length > 0) return;
    const what = describeScope(command.scope);
    const left = this.#left(flatten);
    const dust = left.length === 0 ? '' : ` except ${left.join(', ')}`;
    this.#context.notify(
      'account',
      `${what} is sold out${dust}. Its trading stays halted until \`${resumeCommand(command.scope)}\``,
    );
    this.end({ kind: 'flattened', id, why: 'nothing is left to sell', left });
  }

  /** True until the halt that a flatten runs under is lifted. */
  #isHalted({ request: { by, command } }: Flatten): boolean {
    const { trading } = this.#context.accountState;
    const halt = trading.of({ cause: causeOf(by), scope: haltedScope(by, command) });
    return halt?.state === 'halted';
  }

  #resumed(flatten: Flatten): Readonly<{ why: string; left: readonly string[] }> {
    const what = describeScope(flatten.request.command.scope);
    const why = `trading of ${what} was resumed before everything was sold`;
    this.#context.notify('account', `the sale of ${what} has ended: ${why}`);
    return { why, left: this.#left(flatten) };
  }

  #sell({ request: { id, by, reason } }: Flatten, position: Position, instrument: Instrument): void {
    const { now, accountState } = this.#context;
    const { strategyId, symbol, held } = position;
    const sure = sureShares(this.#context, symbol);
    const all = sellableOf(shares(held < sure ? held : sure), instrument);
    const before = this.#attempts.get(keyOf(position));
    const failed = before?.held === held && !this.#hasLapsed(before) ? before.failed + 1 : 0;
    const intentId = `${strategyId}-${accountState.intentCount + 1}`;
    this.#attempts.set(keyOf(position), { at: now, held, failed, intentId });
    const intent: OrderIntent = {
      id: intentId,
      strategyId,
      symbol,
      terms: { kind: 'sell', quantity: all === held ? 'all' : all },
      reason: `flatten by ${by}: ${reason}`,
      at: now,
      notBefore: now,
      outside: this.#context.rules.trade ? 'limit' : 'wait',
      after: [],
      command: id,
    };
    this.#context.record({ kind: 'intentCreated', intent });
  }

  #outlook(flatten: Flatten, position: Position): Outlook {
    const { market } = this.#context;
    const { symbol, held } = position;
    const before = this.#underWay(position) ?? this.#stop(flatten, position);
    if (before !== null) return { kind: 'waiting', why: before };
    const instrument = market.instruments.get(symbol);
    const price = market.price(symbol);
    if (!instrument || price === null) return { kind: 'waiting', why: 'no price is known' };
    if (!instrument.tradable) return { kind: 'waiting', why: 'it is not tradable at this venue' };
    if (sureShares(this.#context, symbol) === 0n)
      return { kind: 'waiting', why: 'the venue does not show it' };
    if (notionalOf(sellableOf(held, instrument), price, 'down') < MIN_NOTIONAL)
      return { kind: 'dust', why: dustText(held, { instrument, price }) };
    const again = this.#againAt(position);
    return again > this.#context.now
      ? {
          kind: 'waiting',
          why: `the last sell sold nothing: tried again at ${newYorkClock(again)} New York time`,
        }
      : { kind: 'sellable', instrument };
  }

  /** Order or intent that must end before a position can be sold, above all an unknown sell of the symbol; or null. */
  #underWay({ strategyId, symbol }: Position): string | null {
    const { open, intents } = this.#context.accountState;
    const order = open.inSymbol(symbol).find((one) => one.strategyId === strategyId || isInDoubt(one));
    if (order) return openText(order);
    for (const intent of intents.values())
      if (intent.strategyId === strategyId && intent.symbol === symbol && intent.command !== undefined)
        return this.#waitText(intent);
    return null;
  }

  #waitText({ notBefore }: OrderIntent): string {
    const { now } = this.#context;
    return notBefore > now ? `its sell waits until ${timeText(notBefore)}` : 'its sell is about to be sent';
  }

  /** Reason not to send a sell of a position now, or null. */
  #stop({ request: { id } }: Flatten, { strategyId, symbol }: Position): string | null {
    const { accountState } = this.#context;
    const restriction = restrictionOn(accountState, { strategyId, symbol, command: id });
    if (restriction?.state === 'halted') return restrictionText(restriction);
    const frozen = accountState.freezes.againstSale(symbol, true);
    if (frozen !== null) return `it is frozen: ${frozen}`;
    return blockOn(this.#context, { symbol, kind: 'exit' })?.why ?? null;
  }

  /** Earliest time of the next attempt: at once while the position shrinks, with growing pauses while nothing is sold. */
  #againAt(position: Position): EpochMs {
    const last = this.#attempts.get(keyOf(position));
    if (last?.held !== position.held || this.#hasLapsed(last)) return epochMs(0);
    const pause = (this.#context.rules.failureSpacingMs ?? PAUSE_MS) * 2 ** last.failed;
    return epochMs(last.at + Math.min(pause, PAUSE_MAX_MS));
  }

  /** True if the price has left the order's limit, or its phase is over: it has not failed, and continues. */
  #hasLapsed({ intentId }: Attempt): boolean {
    return latestOrder(this.#context.accountState, intentId)?.lapsed === true;
  }

  #positionsOf({ request: { command } }: Flatten): readonly Position[] {
    return this.#positions(command.scope, command.unallocated ?? false);
  }

  #positions(scope: Scope, unallocated: boolean): readonly Position[] {
    const { ledger, allocations } = this.#context.accountState;
    const owners = unallocated ? [...allocations.keys(), UNALLOCATED] : [...allocations.keys()];
    return [...ledger.assets].flatMap((symbol) =>
      symbol === 'mUSD'
        ? []
        : owners
            .map((strategyId) => ({ strategyId, symbol, held: shares(ledger.held(strategyId, symbol)) }))
            .filter((position) => position.held > 0n && covers(scope, position)),
    );
  }

  /** Texts of what remains: open orders, and positions with the reason why they are not sold. */
  #left(flatten: Flatten): readonly string[] {
    const orders = ordersIn(this.#context, flatten.request.command.scope).filter(
      ({ terms }) => terms.side === 'buy',
    );
    const positions = this.#positionsOf(flatten).map((position) => {
      const outlook = this.#outlook(flatten, position);
      return heldText(position, outlook.kind === 'sellable' ? 'about to be sold' : outlook.why);
    });
    return [...orders.map(openText), ...positions];
  }
}

/** Reason why the venue accepts no sell of a holding. */
const dustText = (
  held: Shares,
  { instrument, price }: Readonly<{ instrument: Instrument; price: Price }>,
): string =>
  instrument.fractionable || notionalOf(held, price, 'down') < MIN_NOTIONAL
    ? "less than the venue's minimum"
    : WHOLE_SHARES;

const timeText = (at: EpochMs): string => `${newYorkMinute(at)} New York time`;

const keyOf = ({ strategyId, symbol }: Position): string => `${strategyId} ${symbol}`;

/** Text such as `3 AAPL of trend: it is frozen: …`. */
const heldText = ({ held, symbol, strategyId }: Position, why?: string): string =>
  `${formatDecimal(held)} ${symbol} of ${ownerName(strategyId)}${why === undefined ? '' : `: ${why}`}`;
