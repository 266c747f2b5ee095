import { ownerName } from '../../domain/account/ledger.ts';
import { toIso } from '../../core/brand.ts';
import { describeTerms, describeTransfer } from '../../domain/describe.ts';
import { COMPLETE_LISTS } from '../../domain/orders/fence.ts';
import type { Order, OrderId } from '../../domain/orders/order.ts';
import type { Transfer, TransferId } from '../../domain/transfers/transfer.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { type Decision, Refused } from './decision.ts';

/** Order or treasury transfer that an operator can close. */
type Subject = Readonly<{ about: Order | Transfer; owner: string; text: string }>;

function subjectOf(id: string, { accountState }: EngineContext): Subject {
  const order = accountState.orders.get(id as OrderId);
  if (order) return { about: order, owner: ownerName(order.strategyId), text: describeTerms(order.terms) };
  const transfer = accountState.transfers.all.get(id as TransferId);
  if (!transfer) throw new Refused('usage', `there is no order ${id} in this journal`);
  return { about: transfer, owner: 'the treasury', text: describeTransfer(transfer) };
}

/** Refuses to resolve an order or transfer that no statement can close. @throws {Refused} */
export function refuseResolution(context: EngineContext, id: string): void {
  const { about } = subjectOf(id, context);
  const { kind } = about.state;
  if (kind === 'sent' && claimOf(about) === undefined)
    throw new Refused('safety', `${id} is sent: ${AWAITED}`);
  if (!isOpen(about) && !isDoubted(context, id))
    throw new Refused(
      'safety',
      `${id} is ${kind}: only an order without an answer, or with an end that is unconfirmed or in doubt, can be resolved by hand. ` +
        'Nothing was changed',
    );
}

const isDoubted = ({ accountState, now }: EngineContext, id: string): boolean =>
  accountState.doubts.of(id as OrderId, now) !== undefined;

const AWAITED =
  'its answer is still awaited. Nothing was changed. If none comes, the run looks for it: if it finds nothing, resolve it then';

const claimOf = (about: Subject['about']) => ('claim' in about ? about.claim : undefined);

const isOpen = (about: Subject['about']): boolean =>
  claimOf(about) !== undefined || about.state.kind === 'unknown' || about.state.kind === 'acknowledged';

/** Ends that an operator's statement can cause. */
const CLOSED: ReadonlySet<string> = new Set(['neverExisted', 'closed', 'refused', 'reverted']);

/**
 * Decides by the reads after a statement; null if another read is needed. The statement replaces the proof that the
 * indexer has passed the deadline, or the account's proof of a claimed end; deadline, two complete lists and balances
 * must agree with it.
 * @throws {Refused} naming the missing proof, or what was found instead
 */
export function resolve(context: EngineContext, id: string, looks: number): Decision | null {
  const { about, owner, text } = subjectOf(id, context);
  const { state, plannedAt } = about;
  if (isOpen(about) && looks < COMPLETE_LISTS) return null;
  if (isOpen(about))
    throw new Refused(
      'safety',
      `${id} of ${owner} (${text}) is not resolved: ${context.operatorWords.missing(about.id)}. Nothing was changed`,
    );
  if (!CLOSED.has(state.kind) || isFilled(about))
    throw new Refused(
      'safety',
      `${id} of ${owner} (${text}) was found at the venue, ${state.kind}. Nothing was changed: the run, or the next start, records it`,
    );
  if (isDoubted(context, id))
    return {
      text: `order ${id} of ${owner}, planned ${toIso(plannedAt)}: ${text}\nno longer in doubt; it counts under no limit any more`,
      result: {
        order: id,
        strategy: owner,
        what: text,
        plannedAt: toIso(plannedAt),
        how: 'as the venue says',
        resolved: true,
      },
      events: [{ kind: 'doubtLifted', id: id as OrderId }],
    };
  const how = state.kind === 'neverExisted' ? 'as never carried out (assumed)' : 'as the venue says';
  return {
    text: `order ${id} of ${owner}, planned ${toIso(plannedAt)}: ${text}\nclosed ${how}; its money is free again`,
    result: { order: id, strategy: owner, what: text, plannedAt: toIso(plannedAt), how, resolved: true },
    events: [],
  };
}

const isFilled = ({ state }: Subject['about']): boolean =>
  state.kind === 'closed' && state.settlement !== null;
