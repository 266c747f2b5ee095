import type { AccountState } from '../../../domain/account/accountState.ts';
import { describeExternal } from '../../../domain/orders/reportMatching.ts';
import type { Order, OrderId } from '../../../domain/orders/order.ts';
import type { Transfer, TransferId } from '../../../domain/transfers/transfer.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { printResult } from '../../output.ts';
import { inOperatorSession } from '../../environment/operatorSession.ts';

export type ResolveFlags = Readonly<{ order: string; state?: string; reason?: string; yes?: boolean }>;

/**
 * `drover orders resolve ORDER`: closes an order or transfer of unknown fate as never carried out, or an order by the end that the
 * venue claims, and frees its money. The operator's word replaces the proof that the indexer has passed the deadline, or the
 * account's proof of a claimed end; deadline, two complete lists and balances read from now on must agree with it.
 * @throws {SafetyError} while a run holds the state, when nothing is to be resolved, or when the readings disagree
 */
export const ordersResolveCommand = (
  { order: id, yes = false, reason = 'its fate was looked up by hand', ...flags }: ResolveFlags,
  context: CommandContext,
): Promise<number> =>
  inOperatorSession({ ...flags, reason }, context, async (session) => {
    const { result, text } = await session.require({ kind: 'resolve', id });
    if (yes) session.commit();
    const { terms } = aboutIn(session.kernel.context.accountState, id);
    printResult(context, { ...result, terms, resolved: yes }, yes ? text : previewOf(text));
    return EXIT.done;
  });

const aboutIn = ({ orders, transfers }: AccountState, id: string): Order | Transfer =>
  orders.get(id as OrderId) ?? transfers.of(id as TransferId);

/** The same without the decision: what can be closed, and how. */
const previewOf = (text: string): string =>
  text.replace(
    /^closed (.*); its money is free again$/m,
    "deadline, lists and balances allow closing it $1. Check the venue's own page too, then repeat with --yes",
  );

export type AcceptFlags = Readonly<{ orders: readonly string[]; reason: string; state?: string }>;

/**
 * `drover orders accept TX...`: accepts external orders on the key as known and intended, each by its hash. What an open one locks
 * counts in the exposure; what one has filled is a difference of its own (`drover accept`).
 * @throws {ConfigError} when no such order waits to be accepted
 * @throws {SafetyError} while a run holds the state
 */
export const ordersAccept = ({ orders, ...flags }: AcceptFlags, context: CommandContext): Promise<number> =>
  inOperatorSession(flags, context, async (session) => {
    const { externals } = session.kernel.context.accountState;
    const names: string[] = [];
    for (const txHash of orders) {
      const { result } = await session.require({ kind: 'acceptOrder', txHash });
      names.push(String(result['accepted']));
    }
    session.commit();
    const accepted = [...externals.all.values()].filter(({ txHash }) => names.includes(txHash));
    const left = [...externals.unaccepted.keys()];
    const lines = [
      ...accepted.map((order) => `accepted: ${describeExternal(order)}`),
      ...(left.length === 0 ? [] : [`not accepted yet: ${left.join(', ')}`]),
    ];
    printResult(context, { accepted, reason: flags.reason, left }, lines.join('\n'));
    return EXIT.done;
  });
