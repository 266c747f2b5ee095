import { tradingCalendar } from '../../calendar/index.ts';
import { cash } from '../../core/amount.ts';
import { toIso } from '../../core/brand.ts';
import { ConfigError, SafetyError } from '../../core/errors.ts';
import type { Operation, OperationId } from '../../domain/operation.ts';
import type { Order, OrderId } from '../../domain/order.ts';
import { describeOperation, describeTerms } from '../../engine/describe.ts';
import { Kernel } from '../../engine/kernel.ts';
import type { KernelEvent } from '../../engine/kernelEvent.ts';
import { buyCost } from '../../sim/fees.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { journalOf, withJournal } from '../run/journal.ts';

export type ResolveFlags = Readonly<{ order: string; state?: string; yes?: boolean }>;

/**
 * `drover orders resolve ORDER`: closes an order whose fate cannot be proved as never placed, or by the end that the venue
 * claims, and frees its money.
 * @throws {SafetyError} while a runner holds the state
 */
export function ordersResolveCommand(flags: ResolveFlags, context: CommandContext): Promise<number> {
  return withJournal(journalOf(flags, context), (journal) => {
    const kernel = dormantKernel();
    kernel.recover(journal.entries());
    const found = unresolved(kernel, flags.order);
    if (flags.yes) {
      const events: KernelEvent[] = [{ kind: 'recovered' }, found.word];
      journal.commit(events.flatMap((event) => kernel.handle(event, context.clock.now()).facts));
    }
    tell(found, flags.yes ?? false, context);
    return EXIT.done;
  });
}

/** What an operator's word can close: an order, or an operation of the treasury. */
type Unresolved = Readonly<{
  about: Order | Operation;
  owner: string;
  text: string;
  word: KernelEvent;
}>;

/** The runner's mind without strategies: it only turns the operator's word into facts. */
export const dormantKernel = (): Kernel =>
  new Kernel({
    calendar: tradingCalendar,
    rules: {
      limits: {},
      ownLimits: new Map(),
      collarBps: 0,
      deadlineMs: 0,
      costOf: (notional) => buyCost(cash(notional)).total,
    },
    strategies: [],
    obstacles: { reason: () => 'only an operator is at work' },
  });

function unresolved(kernel: Kernel, id: string): Unresolved {
  const { books } = kernel.desk;
  const operation = books.operations.all.get(id as OperationId);
  const order = books.orders.get(id as OrderId);
  const about = order ?? operation;
  if (!about) throw new ConfigError(`there is no order ${id} in this journal`);
  const { kind } = about.state;
  const isClaimed = order?.claim !== undefined;
  if (!isClaimed && kind !== 'sent' && kind !== 'unknown' && kind !== 'acknowledged')
    throw new SafetyError(
      `order ${id} is ${kind}: only one without an answer, or whose end is not confirmed, can be resolved by hand`,
    );
  if (order)
    return {
      about,
      owner: order.owner,
      text: describeTerms(order.terms),
      word: { kind: 'resolved', id: order.id },
    };
  const text = operation ? describeOperation(operation) : '';
  return { about, owner: 'the treasury', text, word: { kind: 'operationResolved', id: id as OperationId } };
}

function tell({ about, owner, text }: Unresolved, done: boolean, { terminal, json }: CommandContext): void {
  const { id, terms, plannedAt } = about;
  const claim = 'claim' in about ? about.claim : undefined;
  if (json)
    return terminal.out(
      toJson({ order: id, strategy: owner, terms, plannedAt: toIso(plannedAt), resolved: done }),
    );
  terminal.out(`order ${id} of ${owner}, planned ${toIso(plannedAt)}: ${text}`);
  terminal.out(
    done
      ? `${claim ? 'closed as the venue says' : 'closed as never placed (assumed)'}; its money is free again`
      : 'look for it at the venue first: if it is there, the runner finds it by itself. Repeat with --yes to close it',
  );
}
