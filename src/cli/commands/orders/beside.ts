import { NotSentError, OutcomeUnknownError } from '../../../core/errors.ts';
import { describeTerms } from '../../../domain/describe.ts';
import { bareId, hasEnded, type Order } from '../../../domain/orders/order.ts';
import { handRowOf } from '../../../ops/model/handRow.ts';
import { EXIT } from '../../exitCodes.ts';
import { BY_HAND } from '../../../domain/operator/command.ts';
import type { OrderRow } from '../../../api/convert.ts';
import {
  DOUBT_MS,
  followCancel,
  handOver,
  LOOK_MS,
  type BesideFlags,
  type Carrier,
  type OwnCarrier,
} from '../../transfers/besideDaemon.ts';
import { printOrder } from '../../transfers/orderRow.ts';
import { confirm } from '../../transfers/confirm.ts';
import { heldIn, heldText } from '../daemon/heldQuestions.ts';
import type { PlaceFlags } from './place.ts';

/**
 * Places an order through a run.
 * @throws {NotSentError} for one with a deposit or deferred, which its books do not know
 */
export function placeBeside(flags: PlaceFlags, beside: Carrier): Promise<number> {
  const { symbol, side, quantity, notional, limit, strategy } = flags;
  const unknown =
    flags.deferred === true ? '--deferred' : flags.withDeposit === undefined ? null : '--with-deposit';
  if (unknown !== null)
    throw new NotSentError(
      `a daemon runs on this account and takes no order with ${unknown}. Nothing was sent. Stop the run for it, or deposit ` +
        'first by `drover cash deposit` or `drover stock deposit`',
    );
  return handOver(
    {
      verb: 'orders',
      fields: { symbol: symbol.toUpperCase(), side, shares: quantity, notional, limit, strategy },
      print: (row) => printOrder(row as OrderRow, beside.context),
      mayRest: limit !== undefined,
    },
    flags,
    beside,
  );
}

/** Cancels an order through a daemon: by its own id, the venue's, or the hash of its transaction. */
export async function cancelBeside(order: string, flags: BesideFlags, beside: Carrier): Promise<number> {
  const { daemon, context } = beside;
  const held = heldIn(await daemon.status(), {}, [order]);
  const facts = [
    ['order', order],
    ...held.map((one) => ['ends', heldText(one)] as const),
    ['note', 'it may still fill before the cancel is mined'],
    ['through', 'the running daemon'],
  ] as const;
  confirm({ what: 'Cancel', facts }, flags.yes ?? false, context);
  const given = await daemon.steer('cancel', { reason: flags.reason ?? BY_HAND, orders: [order] });
  return followCancel(flags, { daemon, context, given });
}

/**
 * Cancels an order of the journal through a run of the command's own; null for one that the journal does not know, or while One Click
 * is off. Done when it has ended as cancelled.
 * @throws {NotSentError} when it has ended, is no limit order, or is being cancelled
 */
export async function cancelOwn(
  name: string,
  { yes = false, wait = true, reason = BY_HAND }: BesideFlags,
  { context, manual }: OwnCarrier,
): Promise<number | null> {
  const { byTx, byVenueId } = manual.accountState;
  const id = byTx.get(name) ?? byVenueId.get(bareId(name));
  if (id === undefined || !manual.isDelegated()) return null;
  const look = () => manual.accountState.order(id);
  requireCancellable(look());
  const facts = [
    ['order', id],
    ['note', 'it may still fill before the cancel is mined'],
  ] as const;
  confirm({ what: `Cancel: ${describeTerms(look().terms)}`, facts }, yes, context);
  const { text } = await manual.client.steer('cancel', { reason, orders: [id] });
  context.terminal.err(`${text} …`);
  const signal = context.stopSignal();
  for (const began = manual.clock.monotonic(); ;) {
    const order = look();
    if (
      hasEnded(order) ||
      (!wait && order.cancel.kind !== 'wanted' && order.cancel.kind !== 'sent') ||
      signal.aborted
    ) {
      printOrder(handRowOf({ order }) as OrderRow, context);
      if (hasEnded(order))
        return order.state.kind === 'closed' && order.state.how === 'cancelled' ? EXIT.done : EXIT.failed;
      return signal.aborted ? EXIT.interrupted : EXIT.done;
    }
    if (manual.clock.monotonic() - began > DOUBT_MS) throw unended(id);
    await manual.clock.sleep(LOOK_MS, signal).catch(() => undefined);
  }
}

/** @throws {NotSentError} */
function requireCancellable(order: Order): void {
  const { id, state, cancel, terms } = order;
  if (hasEnded(order)) throw new NotSentError(`the order has ended: ${state.kind}. Nothing was sent`);
  if (terms.type === 'market') throw new NotSentError('only limit orders can be cancelled. Nothing was sent');
  if (cancel.kind === 'sent' || cancel.kind === 'accepted')
    throw new NotSentError(`order ${id} is being cancelled already. Nothing was sent`);
}

const unended = (id: string): OutcomeUnknownError =>
  new OutcomeUnknownError(
    `order ${id} has not ended: the cancel may or may not have reached the venue. \`drover orders show\` shows it; the next run goes on`,
    { id },
  );
