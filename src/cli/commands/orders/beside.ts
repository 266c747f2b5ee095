import { NotSentError } from '../../../core/errors.ts';
import { BY_HAND } from '../../../domain/operator/command.ts';
import type { OrderRow } from '../../../api/convert.ts';
import type { DaemonClient } from '../../../ops/client.ts';
import type { CommandContext } from '../../context.ts';
import { followCancel, handOver, type BesideFlags } from '../../transfers/besideDaemon.ts';
import { printOrder } from '../../transfers/orderRow.ts';
import { confirm } from '../../transfers/confirm.ts';
import { heldIn, heldText } from '../daemon/heldQuestions.ts';
import type { PlaceFlags } from './place.ts';

type Beside = Readonly<{ daemon: DaemonClient; context: CommandContext }>;

/**
 * Places an order through a daemon.
 * @throws {NotSentError} for one with a deposit or deferred, which its books do not know
 */
export function placeBeside(flags: PlaceFlags, beside: Beside): Promise<number> {
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
export async function cancelBeside(order: string, flags: BesideFlags, beside: Beside): Promise<number> {
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
