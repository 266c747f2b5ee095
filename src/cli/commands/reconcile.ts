import { tradingCalendar } from '../../calendar/index.ts';
import { createVenue } from '../../api/venue.ts';
import { cash, formatDecimal } from '../../core/amount.ts';
import type { Entry } from '../../domain/fact.ts';
import { compareAccount } from '../../domain/comparison.ts';
import { txHashOf } from '../../domain/order.ts';
import type { AccountReport, Venue } from '../../domain/venue.ts';
import { describeTerms } from '../../engine/describe.ts';
import { Kernel } from '../../engine/kernel.ts';
import { sweepOrders, type Sweep } from '../../engine/sweep.ts';
import { buyCost } from '../../sim/fees.ts';
import { readJournal } from '../../store/readJournal.ts';
import { withVenue } from '../connect.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { withSimulatedVenue } from '../run/dryWorld.ts';
import { journalOf } from '../run/journal.ts';
import { table } from '../table.ts';

export type ReconcileFlags = Readonly<{ state?: string }>;

/** Amounts as decimal text. `venue` is null where it shows nothing. */
type Balance = Readonly<{ asset: string; ledger: string; expected: string; venue: string }>;
type OrderLine = Readonly<{ order: string; terms: string; ledger: string; venue: string | null }>;
type Sides = Readonly<{ balances: Balance[]; orders: OrderLine[]; differences: string[] }>;

/**
 * `drover reconcile`: what the journal and the venue say of balances and live orders, and where they differ. It writes
 * nothing, and may run beside the runner. Exit code 1 when something differs.
 */
export async function reconcile(flags: ReconcileFlags, context: CommandContext): Promise<number> {
  const { file, loaded, stateDir } = journalOf(flags, context);
  const kernel = recovered(file);
  const look = async (venue: Venue) => {
    const live = [...kernel.desk.books.live.values()].flatMap(({ state }) =>
      'at' in state ? [state.at] : [],
    );
    const oldestLive = live.length === 0 ? null : live.reduce((a, b) => (a < b ? a : b));
    const sweep = await sweepOrders(venue, { live: live.length, oldestLive });
    return sidesOf(kernel, { account: await venue.account(), sweep });
  };
  const sides = await withVenue(context, ({ client, clock, venue: { userAddress } }) => {
    const venue = createVenue(client, { userAddress });
    if (loaded.config.mode !== 'dry-run') return look(venue);
    return withSimulatedVenue({ loaded, stateDir }, { market: venue, clock }, look);
  });
  const isClean = sides.differences.length === 0;
  if (context.json) context.terminal.out(toJson({ state: loaded.config.state, clean: isClean, ...sides }));
  else context.terminal.out(textOf(sides));
  return isClean ? EXIT.done : EXIT.failed;
}

/** The runner's mind as the journal leaves it, without strategies. */
function recovered(file: string): Kernel {
  const kernel = new Kernel({
    calendar: tradingCalendar,
    rules: {
      ...{ limits: {}, ownLimits: new Map(), collarBps: 0, deadlineMs: 0 },
      costOf: (notional) => buyCost(cash(notional)).total,
    },
    strategies: [],
    obstacles: { reason: () => 'only looking' },
  });
  const reader = readJournal(file);
  try {
    kernel.recover(reader.lines() as Iterable<Entry>);
  } finally {
    reader.close();
  }
  return kernel;
}

type Seen = Readonly<{ account: AccountReport; sweep: Sweep }>;

function sidesOf({ desk: { books } }: Kernel, { account, sweep }: Seen): Sides {
  const mismatches = compareAccount(books, account);
  const shown = (asset: string) =>
    asset === 'mUSD' ? account.cash : (account.holdings.get(asset as never)?.exchange ?? 0n);
  const assets = new Set<string>([...books.ledger.assets, ...account.holdings.keys()]);
  const balances = [...assets].map((asset) => {
    const found = mismatches.find((one) => one.side === 'venue' && one.asset === asset);
    return {
      asset,
      ledger: formatDecimal(books.ledger.total(asset as never)),
      expected: formatDecimal(found?.expected ?? shown(asset)),
      venue: formatDecimal(shown(asset)),
    };
  });
  const orders = orderLines(books, sweep);
  return {
    balances,
    orders,
    differences: [
      ...mismatches.map(
        ({ side, asset, expected, actual }) =>
          `${asset}${side === 'venue' ? '' : ` (${side})`}: the ledger expects ${formatDecimal(expected)}, the venue has ${formatDecimal(actual)}`,
      ),
      ...orders.filter(({ ledger, venue }) => !fits(ledger, venue)).map(orderDifference),
      ...(sweep.complete ? [] : ['the order list could not be read whole']),
    ],
  };
}

/** Live orders of ours, and open ones of the venue that are not. */
function orderLines(books: Kernel['desk']['books'], { rows }: Sweep): OrderLine[] {
  const reports = rows.flatMap((row) => ('unreadable' in row ? [] : [row]));
  const ours = [...books.live.values()].map((order) => {
    const row = reports.find(({ txHash }) => txHash === txHashOf(order));
    return {
      order: order.id,
      terms: describeTerms(order.terms),
      ledger: order.state.kind,
      venue: row?.status ?? null,
    };
  });
  const open = reports.filter(
    ({ status, txHash }) => (status === 'open' || status === 'canceling') && !books.byTx.has(txHash),
  );
  const others = open.map(({ txHash, terms, status }) => ({
    ...{
      order: txHash,
      terms: terms ? `${terms.side} ${terms.symbol}` : '-',
      ledger: 'not ours',
      venue: status,
    },
  }));
  return [...ours, ...others];
}

/** Whether the two words for an order can stand beside each other; one on its way may be anywhere. */
function fits(ledger: string, venue: string | null): boolean {
  if (ledger === 'working') return venue === 'open' || venue === 'canceling';
  return ledger === 'acknowledged' ? venue === null || venue === 'pending' : ledger === 'planned';
}

const orderDifference = ({ order, terms, ledger, venue }: OrderLine): string =>
  `order ${order} (${terms}): ${ledger} in the journal, ${venue ?? 'nothing'} at the venue`;

function textOf({ balances, orders, differences }: Sides): string {
  const cells = balances.map(({ asset, ledger, expected, venue }) => [asset, ledger, expected, venue]);
  const right = ['ledger', 'expected', 'venue'];
  return [
    table(['asset', ...right], cells, right),
    ...(orders.length === 0
      ? []
      : [
          '',
          table(
            ['order', 'terms', 'journal', 'venue'],
            orders.map(({ order, terms, ledger, venue }) => [order, terms, ledger, venue ?? '-']),
          ),
        ]),
    '',
    ...(differences.length === 0 ? ['no differences'] : differences),
  ].join('\n');
}
