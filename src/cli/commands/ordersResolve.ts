import { tradingCalendar } from '../../calendar/index.ts';
import { cash } from '../../core/amount.ts';
import { toIso } from '../../core/brand.ts';
import { ConfigError, SafetyError } from '../../core/errors.ts';
import type { Order, OrderId } from '../../domain/order.ts';
import { describeTerms } from '../../engine/describe.ts';
import { Kernel } from '../../engine/kernel.ts';
import { buyCost } from '../../sim/fees.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { journalOf, withJournal } from '../run/journal.ts';

export type ResolveFlags = Readonly<{ order: string; state?: string; yes?: boolean }>;

/**
 * `drover orders resolve ORDER`: closes an order whose fate cannot be proved as never placed, and frees its money.
 * @throws {SafetyError} while a runner holds the state
 */
export function ordersResolveCommand(flags: ResolveFlags, context: CommandContext): Promise<number> {
  const { stateDir } = journalOf(flags, context);
  return withJournal(stateDir, (journal) => {
    const kernel = dormantKernel();
    kernel.recover(journal.entries());
    const order = unresolvedOrder(kernel, flags.order);
    const now = context.clock.now();
    if (flags.yes) {
      const events = ['recovered', 'resolved'] as const;
      journal.commit(events.flatMap((kind) => kernel.handle({ kind, id: order.id }, now).facts));
    }
    tell(order, flags.yes ?? false, context);
    return EXIT.done;
  });
}

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

function unresolvedOrder(kernel: Kernel, id: string): Order {
  const order = kernel.desk.books.orders.get(id as OrderId);
  if (!order) throw new ConfigError(`there is no order ${id} in this journal`);
  const { kind } = order.state;
  if (kind === 'sent' || kind === 'unknown' || kind === 'acknowledged') return order;
  throw new SafetyError(`order ${id} is ${kind}: only one without an answer can be resolved by hand`);
}

function tell(
  { id, terms, owner, plannedAt }: Order,
  done: boolean,
  { terminal, json }: CommandContext,
): void {
  if (json)
    return terminal.out(
      toJson({ order: id, strategy: owner, terms, plannedAt: toIso(plannedAt), resolved: done }),
    );
  terminal.out(`order ${id} of ${owner}, planned ${toIso(plannedAt)}: ${describeTerms(terms)}`);
  terminal.out(
    done
      ? 'closed as never placed (assumed); its money is free again'
      : 'look for it at the venue first: if it is there, the runner finds it by itself. Repeat with --yes to close it',
  );
}
