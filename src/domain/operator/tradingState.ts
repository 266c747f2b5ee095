import { plainOr } from '../account/pins.ts';
import type { EpochMs } from '../../core/brand.ts';
import type { Ticker } from '../instrument.ts';
import type { JournalEventOf } from '../journalEvent.ts';
import type { CommandId, Scope, Restriction } from './restriction.ts';

/** A restriction with its number: how many had been set by then, including this one. */
type NumberedRestriction = Readonly<{ number: number; restriction: Restriction }>;

/** A flatten: it sells despite the restrictions that existed when it began, and its own. */
type Flatten = Readonly<{ request: Readonly<{ id: CommandId }>; restrictions: number }>;

/** Strategy and symbol of an order or an intent. */
type Trade = Readonly<{ strategyId: string; symbol: Ticker }>;

/** Trading restrictions in force. Of those that apply to an order, the strictest counts. */
export class TradingStates {
  private readonly byKey = new Map<string, NumberedRestriction>();
  /** Number of restrictions set so far. */
  readonly count: number = 0;
  /** The last lifted restriction of the whole run: lifted by whom, why and when. Null before the first. */
  lastLifted: Pick<Restriction, 'by' | 'reason' | 'since'> | null = null;

  /** All restrictions, oldest first. */
  get all(): readonly Restriction[] {
    return [...this.byKey.values()].map(({ restriction }) => restriction);
  }

  /** True while nothing is restricted. */
  get isActive(): boolean {
    return this.byKey.size === 0;
  }

  /** True for a restored journal until an operator resumes: unknown orders may be its own. */
  get isRestored(): boolean {
    return this.of({ cause: 'restored', scope: {} }) !== undefined;
  }

  /** Applies an event. A restriction replaces that of the same cause and scope; an unchanged state keeps its start. */
  apply(fact: TradingJournalEvent, at: EpochMs): void {
    const restriction = restrictionOf(fact, at);
    const key = keyOf(restriction);
    const before = this.byKey.get(key)?.restriction;
    this.byKey.delete(key);
    if (fact.kind === 'restricted' || fact.kind === 'halted') {
      const since = before?.state === restriction.state ? before.since : at;
      this.byKey.set(key, {
        number: ++(this as { count: number }).count,
        restriction: { ...restriction, since },
      });
    } else if (before && isRun(restriction.scope)) {
      const { by, reason } = restriction;
      this.lastLifted = { by, reason, since: at };
    }
  }

  of(of: Pick<Restriction, 'cause' | 'scope'>): Restriction | undefined {
    return this.byKey.get(keyOf(of))?.restriction;
  }

  /** Restrictions of exactly this scope set after the first `count`. */
  setSince(count: number, scope: Scope): readonly Restriction[] {
    return [...this.byKey.values()]
      .filter(({ number, restriction }) => number > count && isSame(restriction.scope, scope))
      .map(({ restriction }) => restriction);
  }

  /**
   * The strictest restriction that applies to a trade, the oldest if several are equal; null if there is none.
   * `flatten`: command of the trade, which earlier restrictions do not stop.
   */
  on(trade: Trade, flatten?: Flatten): Restriction | null {
    if (this.isActive) return null;
    const applying = [...this.byKey.values()].filter(
      (numbered) => covers(numbered.restriction.scope, trade) && !(flatten && isPassed(numbered, flatten)),
    );
    return strictest(applying.map(({ restriction }) => restriction));
  }

  /** The strictest restriction of the whole run; null if there is none. */
  get ofRun(): Restriction | null {
    return this.over({});
  }

  /** The strictest restriction of everything in a scope, whatever its cause; null if none. `except`: those to leave out. */
  over(scope: Scope, except: readonly Restriction[] = []): Restriction | null {
    if (this.isActive) return null;
    return strictest(this.all.filter((one) => covers(one.scope, scope) && !except.includes(one)));
  }
}

/** True for a restriction that a flatten may sell under: its own, or one that existed when it began. */
const isPassed = (
  { number, restriction }: NumberedRestriction,
  { request, restrictions }: Flatten,
): boolean => number <= restrictions || restriction.command === request.id;

type TradingJournalEvent = JournalEventOf<'restricted' | 'restrictionLifted' | 'halted' | 'resumed'>;

/** The restriction that an event sets or lifts. Those of 0.7.0 and earlier are the operator's, for the whole run. */
function restrictionOf(fact: TradingJournalEvent, since: EpochMs): Restriction {
  const words = { by: 'operator', reason: fact.kind === 'halted' ? fact.why : fact.reason };
  if (fact.kind === 'halted' || fact.kind === 'resumed')
    return { state: 'halted', cause: 'operator', scope: {}, ...words, since };
  const { cause, scope, by, reason } = fact;
  const state = fact.kind === 'restricted' ? fact.state : 'halted';
  const command = fact.kind === 'restricted' ? fact.command : undefined;
  return { state, cause, scope, by, reason, since, ...(command === undefined ? {} : { command }) };
}

/** True for a scope without bounds: the whole run. */
export const isRun = ({ strategyId, symbol }: Scope): boolean =>
  strategyId === undefined && symbol === undefined;

export const isSame = (one: Scope, other: Scope): boolean =>
  one.strategyId === other.strategyId && one.symbol === other.symbol;

/** True for a trade in the scope, or for another scope entirely inside it. */
export const covers = (scope: Scope, { strategyId, symbol }: Scope): boolean =>
  (scope.strategyId === undefined || scope.strategyId === strategyId) &&
  (scope.symbol === undefined || scope.symbol === symbol);

/** Text of a scope: `everything`, `strategy a`, `AAPL`, `AAPL of strategy a`. */
export function describeScope({ strategyId, symbol }: Scope): string {
  if (strategyId === undefined) return symbol ?? 'everything';
  return symbol === undefined ? `strategy ${strategyId}` : `${symbol} of strategy ${strategyId}`;
}

/** Command that lifts the restrictions of a scope, without its reason. Names are safe to copy into a shell. */
export const resumeCommand = ({
  strategyId,
  symbol,
}: Partial<Record<keyof Scope, string | undefined>>): string =>
  `drover resume${strategyId === undefined ? '' : ` --strategy ${plainOr(strategyId, 'ID')}`}${symbol === undefined ? '' : ` --symbol ${plainOr(symbol, 'SYMBOL')}`} --reason TEXT`;

/** Name of a restriction in alarms and their all-clear: at most one of each is in force. */
export const restrictionName = ({ cause, scope }: Pick<Restriction, 'cause' | 'scope'>): string =>
  `${cause}: ${describeScope(scope)}`;

const strictest = (restrictions: readonly Restriction[]): Restriction | null =>
  restrictions.find(({ state }) => state === 'halted') ?? restrictions[0] ?? null;

const keyOf = ({ cause, scope }: Pick<Restriction, 'cause' | 'scope'>): string =>
  JSON.stringify([cause, scope.strategyId ?? null, scope.symbol ?? null]);
