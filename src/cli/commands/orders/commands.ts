import type { Command } from 'commander';
import {
  STATE,
  KILL_STATE,
  reasonText,
  wholeNumber,
  withSendFlags,
  withExamples,
  type Wire,
} from '../../wire.ts';

const ORDER = ['<order>', 'order id, or the hash of its transaction'] as const;

/** `drover orders …` */
export function addOrders(program: Command, wire: Wire): void {
  const orders = program
    .command('orders')
    .description("list and manage the key's orders; `drover orders` alone lists them");
  withExamples(
    orders,
    ['orders --limit 50', 'the latest 50'],
    ['orders place AAPL buy --market --notional 100', 'buy AAPL for 100 mUSD'],
  );
  const list = orders
    .command('list', { isDefault: true })
    .description('list orders, newest first')
    .option('--limit <n>', 'number of orders (default: 20)', wholeNumber);
  wire(list, async () => (await import('./orders.ts')).ordersCommand);
  addPlace(orders, wire);
  const cancel = orders
    .command('cancel')
    .description('cancel an open limit order')
    .argument(...ORDER);
  wire(withSendFlags(cancel), async () => (await import('./cancel.ts')).ordersCancel);
  const show = orders
    .command('show')
    .description('show one order')
    .argument(...ORDER)
    .option('--wait', 'wait until it has ended; Ctrl-C only ends the waiting');
  wire(show, async () => (await import('./orders.ts')).ordersShow);
  const record = orders
    .command('record')
    .description('link a transaction that the wallet sent by itself to the key')
    .argument('<tx>', 'hash of the transaction')
    .option(...KILL_STATE);
  wire(record, async () => (await import('./orders.ts')).ordersRecord);
  addDecisions(orders, wire);
}

function addPlace(orders: Command, wire: Wire): void {
  const place = orders
    .command('place')
    .description('place one manual order, through the daemon if one is running')
    .argument('<symbol>', 'such as AAPL')
    .argument('<side>', 'buy or sell')
    .option('--market', 'market order; a buy by --notional, a sell by --quantity')
    .option('--limit <price>', 'limit order at this price, by --quantity, until the close')
    .option('--quantity <shares>', 'number of shares')
    .option('--notional <mUSD>', 'amount in mUSD, before fees')
    .option('--deferred', 'sell now, deliver later: the shares become a debt')
    .option('--with-deposit <amount>', 'first deposit this from the wallet: cash to buy, shares to sell')
    .option('--token <symbol>', 'cash token to deposit')
    .option('--strategy <id>', 'use the money and shares of this strategy of the running daemon');
  wire(withSendFlags(place), async () => (await import('./place.ts')).ordersPlace);
}

function addDecisions(orders: Command, wire: Wire): void {
  const resolve = orders
    .command('resolve')
    .description('the same as `resolve`: close an unanswered order on your word')
    .argument('<order>', 'id of the order, as the alarm names it')
    .option('--reason <text>', 'reason, kept in the journal', reasonText)
    .option(...STATE)
    .option('--yes', 'do it; without this flag the decision is only shown');
  wire(resolve, async () => (await import('../daemon/decisions.ts')).resolve);
  const accept = orders
    .command('accept')
    .description('accept external orders as known and intended')
    .argument('<orders...>', 'hashes of their transactions, as the alarm names them')
    .requiredOption('--reason <text>', 'reason, kept in the journal', reasonText)
    .option(...STATE);
  wire(accept, async () => (await import('../daemon/decisions.ts')).acceptOrders);
}
