import { toIso } from '../../../core/brand.ts';
import { ConfigError, SafetyError } from '../../../core/errors.ts';
import type { Transfer, TransferId } from '../../../domain/transfers/transfer.ts';
import type { Order, OrderId } from '../../../domain/orders/order.ts';
import { describeTransfer, describeTerms } from '../../../domain/describe.ts';
import type { Kernel } from '../../../engine/kernel/kernel.ts';
import type { KernelEvent } from '../../../engine/state/kernelEvent.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { toJson } from '../../output.ts';
import { inOperatorSession } from '../../environment/operatorSession.ts';
import type { External } from '../../../domain/orders/reportMatching.ts';

export type ResolveFlags = Readonly<{ order: string; state?: string; yes?: boolean }>;

/**
 * `drover orders resolve ORDER`: closes an order or transfer of unknown fate as never carried out, or an order by the end that the
 * venue claims, and frees its money. The operator's word replaces the proof that the indexer has passed the deadline, or the
 * account's proof of a claimed end; deadline, two complete lists and balances read from now on must agree with it.
 * @throws {SafetyError} while a run holds the state, when nothing is to be resolved, or when the readings disagree
 */
export const ordersResolveCommand = (
  { order: id, yes = false, ...flags }: ResolveFlags,
  context: CommandContext,
): Promise<number> =>
  inOperatorSession({ ...flags, word: (kernel) => wordOn(id, kernel) }, context, ({ kernel, commit }) => {
    const subject = subjectOf(id, kernel);
    requireBorneOut(subject, kernel);
    if (yes) commit([]);
    say(subject, yes, context);
    return EXIT.done;
  });

/** Subject that an operator can close: an order, or a transfer of the treasury. */
type Subject = Readonly<{ about: Order | Transfer; owner: string; text: string }>;

function subjectOf(id: string, { context: { accountState } }: Kernel): Subject {
  const order = accountState.orders.get(id as OrderId);
  if (order) return { about: order, owner: order.strategyId, text: describeTerms(order.terms) };
  const operation = accountState.transfers.all.get(id as TransferId);
  if (!operation) throw new ConfigError(`there is no order ${id} in this journal`);
  return { about: operation, owner: 'the treasury', text: describeTransfer(operation) };
}

/**
 * The operator's decision as an event, by the journal alone. @throws {SafetyError} for an order that no decision can close
 */
function wordOn(id: string, kernel: Kernel): KernelEvent {
  const { about } = subjectOf(id, kernel);
  const { kind } = about.state;
  if (kind === 'sent' && claimOf(about) === undefined)
    throw new SafetyError(
      `${id} is sent: the run ended before its answer, and has not looked for it since. Nothing was changed. Start the run once, ` +
        'which looks for it; if it still has no answer after that, resolve it',
    );
  if (!isOpen(about))
    throw new SafetyError(
      `${id} is ${kind}: only an order without an answer, or with an unconfirmed end, can be resolved by hand. Nothing was changed`,
    );
  return { kind: 'resolved', id: about.id };
}

const claimOf = (about: Subject['about']) => ('claim' in about ? about.claim : undefined);

const isOpen = (about: Subject['about']): boolean =>
  claimOf(about) !== undefined || about.state.kind === 'unknown' || about.state.kind === 'acknowledged';

/** Ends that an operator's decision can cause. */
const CLOSED: ReadonlySet<string> = new Set(['neverExisted', 'closed', 'refused', 'reverted']);

/** @throws {SafetyError} naming what is missing, or what was found instead */
function requireBorneOut({ about, owner, text }: Subject, { context }: Kernel): void {
  const { id, state } = about;
  if (isOpen(about))
    throw new SafetyError(
      `${id} of ${owner} (${text}) is not resolved: ${context.operatorWords.missing(id)}. Nothing was changed`,
    );
  if (!CLOSED.has(state.kind) || isFilled(about))
    throw new SafetyError(
      `${id} of ${owner} (${text}) was found at the venue, ${state.kind}. Nothing was changed: the next start records it`,
    );
}

const isFilled = ({ state }: Subject['about']): boolean =>
  state.kind === 'closed' && state.settlement !== null;

function say({ about, owner, text }: Subject, done: boolean, { terminal, json }: CommandContext): void {
  const { id, terms, plannedAt, state } = about;
  if (json)
    return terminal.out(
      toJson({ order: id, strategy: owner, terms, plannedAt: toIso(plannedAt), resolved: done }),
    );
  const how = state.kind === 'neverExisted' ? 'as never carried out (assumed)' : 'as the venue says';
  terminal.out(`order ${id} of ${owner}, planned ${toIso(plannedAt)}: ${text}`);
  terminal.out(
    done
      ? `closed ${how}; its money is free again`
      : `deadline, lists and balances allow closing it ${how}. Check the venue's own page too, then repeat with --yes`,
  );
}

export type AcceptFlags = Readonly<{ orders: readonly string[]; reason: string; state?: string }>;

/**
 * `drover orders accept TX...`: accepts external orders on the key as known and intended, each by its hash. What an open one locks
 * counts in the exposure; what one has filled is a difference of its own (`drover accept`).
 * @throws {ConfigError} when no such order waits to be accepted
 * @throws {SafetyError} while a run holds the state
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
