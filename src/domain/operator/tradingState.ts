import type { EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import type { JournalEvent } from '../journalEvent.ts';

/** States of trading, from the loosest to the strictest. `reducing`: only orders that make a position smaller; `halted`: none. */
export const TRADING_STATES = ['active', 'reducing', 'halted'] as const;
export type TradingState = (typeof TRADING_STATES)[number];

/** Range of an operator's command: orders that match each given field; all of the run without any. */
export type Scope = Readonly<{ strategyId?: string; symbol?: Ticker }>;

/** Cause of a restriction. Each is kept, shown and lifted separately. `fees`: the venue took more than the limit. */
export type RestrictionCause = 'operator' | 'kill file' | 'fees';

/** A restriction of trading: at most one of each cause and scope. `by`: who set it. */
export type Restriction = Readonly<{
  state: Exclude<TradingState, 'active'>;
  cause: RestrictionCause;
  scope: Scope;
  by: string;
  reason: string;
  since: EpochMs;
}>;

/** Strategy and symbol of an order or an intent. */
type Trade = Readonly<{ strategyId: string; symbol: Ticker }>;

/** Restrictions of trading in force. The strictest of those that apply to an order counts. */
export class TradingStates {
  readonly #byKey = new Map<string, Restriction>();
  /** The latest restriction of the whole run that was lifted: by whom, why and when. Null before the first. */
  lastLifted: Pick<Restriction, 'by' | 'reason' | 'since'> | null = null;

  /** Oldest first. */
  get all(): readonly Restriction[] {
    return [...this.#byKey.values()];
  }

  /** A restriction replaces that of the same cause and scope. */
  apply(fact: TradingJournalEvent, at: EpochMs): void {
    const restriction = restrictionOf(fact, at);
    if (fact.kind === 'restricted' || fact.kind === 'halted')
      this.#byKey.set(keyOf(restriction), restriction);
    else this.#lift(restriction);
  }

  #lift(restriction: Restriction): void {
    const { scope, by, reason, since } = restriction;
    if (this.#byKey.delete(keyOf(restriction)) && isRun(scope)) this.lastLifted = { by, reason, since };
  }

  of(of: Pick<Restriction, 'cause' | 'scope'>): Restriction | undefined {
    return this.#byKey.get(keyOf(of));
  }

  /** The strictest restriction that applies to a trade, the oldest of equals; null while it is active. */
  on(trade: Trade): Restriction | null {
    if (this.#byKey.size === 0) return null;
    return strictest([...this.#byKey.values()].filter(({ scope }) => covers(scope, trade)));
  }

  /** The strictest restriction of the whole run; null while it is active. */
  get ofRun(): Restriction | null {
    return strictest([...this.#byKey.values()].filter(({ scope }) => isRun(scope)));
  }

  /** The strictest restriction of everything that a strategy trades; null while it is active. */
  ofStrategy(strategyId: string): Restriction | null {
    if (this.#byKey.size === 0) return null;
    return strictest(
      this.all.filter(
        ({ scope }) =>
          scope.symbol === undefined && (scope.strategyId === undefined || scope.strategyId === strategyId),
      ),
    );
  }
}

/** Journal events that restrict trading or lift a restriction. */
export type TradingJournalEvent = Extract<
  JournalEvent,
  { kind: 'restricted' | 'restrictionLifted' | 'halted' | 'resumed' }
>;
const TRADING_KINDS: ReadonlySet<JournalEvent['kind']> = new Set([
  'restricted',
  'restrictionLifted',
  'halted',
  'resumed',
]);
export const isTradingEvent = (fact: JournalEvent): fact is TradingJournalEvent =>
  TRADING_KINDS.has(fact.kind);

/** The restriction that an event sets or lifts. Those of 0.7.0 and before are the operator's, of the whole run. */
function restrictionOf(fact: TradingJournalEvent, since: EpochMs): Restriction {
  const words = { by: 'operator', reason: fact.kind === 'halted' ? fact.why : fact.reason };
  if (fact.kind === 'halted' || fact.kind === 'resumed')
    return { state: 'halted', cause: 'operator', scope: {}, ...words, since };
  const { cause, scope, by, reason } = fact;
  const state = fact.kind === 'restricted' ? fact.state : 'halted';
  return { state, cause, scope, by, reason, since };
}

/** True for a scope without bounds. */
export const isRun = ({ strategyId, symbol }: Scope): boolean =>
  strategyId === undefined && symbol === undefined;

export const covers = (scope: Scope, { strategyId, symbol }: Trade): boolean =>
  (scope.strategyId === undefined || scope.strategyId === strategyId) &&
  (scope.symbol === undefined || scope.symbol === symbol);

/** Words for a scope: `everything`, `strategy a`, `AAPL`, `AAPL of strategy a`. */
export function describeScope({ strategyId, symbol }: Scope): string {
  if (strategyId === undefined) return symbol ?? 'everything';
  return symbol === undefined ? `strategy ${strategyId}` : `${symbol} of strategy ${strategyId}`;
}

const strictest = (restrictions: readonly Restriction[]): Restriction | null =>
  restrictions.find(({ state }) => state === 'halted') ?? restrictions[0] ?? null;

const keyOf = ({ cause, scope }: Pick<Restriction, 'cause' | 'scope'>): string =>
  JSON.stringify([cause, scope.strategyId ?? null, scope.symbol ?? null]);
