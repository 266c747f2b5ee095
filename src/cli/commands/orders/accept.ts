import { ConfigError } from '../../../core/errors.ts';
import type { External } from '../../../domain/orders/reportMatching.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { toJson } from '../../output.ts';
import { inOperatorSession } from '../../environment/operatorSession.ts';

export type AcceptFlags = Readonly<{ orders: readonly string[]; reason: string; state?: string }>;

/**
 * `drover orders accept TX...`: takes orders on the key that are not of this journal as known and meant, each by its name. What
 * an open one locks counts in the exposure; what one has filled is a difference of its own (`drover adopt`).
 * @throws {ConfigError} when the venue's list and the journal show no such order that waits for a word
 * @throws {SafetyError} while a runner holds the state
 */
export const ordersAccept = (
  { orders, reason, ...flags }: AcceptFlags,
  context: CommandContext,
): Promise<number> =>
  inOperatorSession(flags, context, ({ kernel, commit }) => {
    const { unaccepted } = kernel.context.accountState.externals;
    const accepted = orders.map((name) => named(name.toLowerCase(), unaccepted));
    commit(accepted.map(({ txHash }) => ({ kind: 'externalAccepted', txHash, reason })));
    const left = [...unaccepted.keys()].filter((txHash) => !accepted.some((one) => one.txHash === txHash));
    const { terminal, json } = context;
    if (json) terminal.out(toJson({ accepted, reason, left }));
    else
      terminal.out(
        [
          ...accepted.map((order) => `accepted: ${textOf(order)}`),
          ...(left.length === 0 ? [] : [`not accepted yet: ${left.join(', ')}`]),
        ].join('\n'),
      );
    return EXIT.done;
  });

function named(txHash: string, unaccepted: ReadonlyMap<string, External>): External {
  const order = [...unaccepted.values()].find((one) => one.txHash.toLowerCase() === txHash);
  if (order) return order;
  const names = [...unaccepted.keys()];
  throw new ConfigError(
    `no order ${txHash} waits to be accepted${names.length === 0 ? '' : `: ${names.join(', ')} ${names.length === 1 ? 'does' : 'do'}`}. Nothing was changed`,
  );
}

const textOf = ({ txHash, report, why }: External): string =>
  `${txHash} (${report?.terms ? `${report.terms.side} ${report.terms.symbol}, ` : ''}${why})`;
