import type { OrderIntent } from '../../domain/orders/orderIntent.ts';
import { restrictionCode, restrictionOn, restrictionText } from '../risk/restrictions.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { refuse } from './refusal.ts';
type LimitIntent = OrderIntent & Readonly<{ terms: Extract<OrderIntent['terms'], { kind: 'limit' }> }>;

const isLimit = (intent: OrderIntent | undefined): intent is LimitIntent => intent?.terms.kind === 'limit';

/**
 * Limit order placed by the strategy itself that may be replaced now.
 * @throws {OrderRefusal} if it is not open or is ending, or its successor could not be sent
 */
export function replaceable(context: EngineContext, strategyId: string, id: string): LimitIntent {
  const { accountState } = context;
  const intent = accountState.intents.get(id);
  const isOwn = intent?.strategyId === strategyId && !intent.parent && intent.command === undefined;
  if (!isOwn || !isLimit(intent))
    return refuse('NOT_OPEN', `no open limit order has the id ${JSON.stringify(id)}: nothing was changed`);
  const cancel = accountState.open.of(id)?.cancel.kind ?? 'none';
  if ((cancel !== 'none' && cancel !== 'refused') || accountState.filledByIntent.isReplaced(id))
    refuse('NOT_OPEN', `${id} is being cancelled or replaced already: nothing was changed`);
  const restriction = restrictionOn(accountState, intent);
  if (restriction && (restriction.state === 'halted' || intent.terms.side === 'buy'))
    refuse(restrictionCode(restriction), `${restrictionText(restriction)}: ${id} stays as it is`);
  const frozen = accountState.frozen.get(intent.symbol);
  if (frozen !== undefined) refuse('FROZEN', `${intent.symbol} is frozen: ${frozen}. ${id} stays as it is`);
  return intent;
}

/**
 * Intent that replaces another once that one has ended. A replacement for the day ends with the session or phase in
 * which the replaced order rests: it is not sent in the next.
 */
export function successorOf(
  { accountState, now }: EngineContext,
  replaced: LimitIntent,
  change: Pick<LimitIntent, 'id' | 'terms' | 'reason'>,
): OrderIntent {
  const { id, notBefore, outside, terms } = replaced;
  const waitsFor = [...replaced.after, id].filter((each) => each === id || accountState.intents.has(each));
  const resting = terms.goodTill === 'day' ? accountState.open.of(id) : undefined;
  const { until, expires = until } = { ...replaced, until: resting?.until };
  return {
    ...replaced,
    ...change,
    at: now,
    notBefore: notBefore > now ? notBefore : now,
    outside: resting && until === undefined ? 'refuse' : outside,
    ...(until !== undefined && expires !== undefined && { expires: expires < until ? expires : until }),
    after: waitsFor,
    replaces: id,
  };
}
