import type { Command } from 'commander';
import { wholeNumber, type Wire } from '../../wire.ts';

/** The folder with lock and kill file of a run that was started with `--state`. */
export const KILL_STATE = [
  '--state <dir>',
  'state folder whose lock and kill file count, instead of what the config says',
] as const;

/** Flags of everything that moves money. */
const moving = (command: Command): Command =>
  command
    .option('--yes', 'do it without asking')
    .option('--no-wait', 'end when it is sent, and do not wait for how it ends')
    .option(...KILL_STATE);

/** `drover cash …`, `stock …`, `debt …`, `wallet …`: what moves money, and what looks at it. */
export function addMoney(program: Command, wire: Wire): void {
  addCash(program, wire);
  addStock(program, wire);
  addDebt(program, wire);
  addWallet(program, wire);
}

function addCash(program: Command, wire: Wire): void {
  const cash = program.command('cash').description('cash between the wallet and the venue');
  const deposit = cash.command('deposit').description('cash tokens of the wallet become mUSD');
  deposit
    .argument('<amount>', 'in whole tokens, such as 100.5')
    .option('--token <symbol>', 'which cash token');
  wire(moving(deposit), async () => (await import('./cashAndStock.ts')).cashDeposit);
  const withdraw = cash.command('withdraw').description('mUSD becomes cash tokens in the wallet');
  withdraw.argument('<amount>', 'in mUSD, fees included').option('--token <symbol>', 'which cash token');
  wire(moving(withdraw), async () => (await import('./cashAndStock.ts')).cashWithdraw);
  looking(cash, wire, 'cash');
}

function addStock(program: Command, wire: Wire): void {
  const stock = program.command('stock').description('shares between the wallet and the exchange');
  const deposit = stock.command('deposit').description('shares of the wallet on to the exchange');
  deposit.argument('<symbol>', 'such as AAPL').argument('<amount>', 'in shares');
  wire(moving(deposit), async () => (await import('./cashAndStock.ts')).stockDeposit);
  const withdraw = stock.command('withdraw').description('shares on the exchange into the wallet');
  withdraw.argument('<symbol>', 'such as AAPL').argument('<amount>', 'in shares');
  wire(moving(withdraw), async () => (await import('./cashAndStock.ts')).stockWithdraw);
  looking(stock, wire, 'stock');
}

function looking(group: Command, wire: Wire, family: 'cash' | 'stock'): void {
  const list = group
    .command('list')
    .description('deposits and withdrawals, newest first')
    .option('--limit <n>', 'how many (default: 20)', wholeNumber);
  wire(list, async () => (await import('./cashAndStock.ts')).listOperations(family));
  const show = group
    .command('show')
    .description('one deposit or withdrawal')
    .argument('<id>', 'its operation id, or the hash of its transaction')
    .option('--wait', 'until it has ended; Ctrl-C only ends the waiting');
  wire(show, async () => (await import('./cashAndStock.ts')).showOperation(family));
}

function addDebt(program: Command, wire: Wire): void {
  const debt = program.command('debt').description('shares that deferred sells still owe');
  const list = debt.command('list').description('what is owed of each stock');
  wire(list, async () => (await import('./debt.ts')).debtList);
  const repay = debt.command('repay').description('shares of the wallet against the debt');
  repay.argument('<symbol>', 'such as AAPL').argument('<amount>', 'in shares');
  wire(moving(repay), async () => (await import('./debt.ts')).debtRepay);
}

function addWallet(program: Command, wire: Wire): void {
  const wallet = program.command('wallet').description('the wallet whose key is at hand');
  const address = wallet.command('address').description('its address, and whether it is venue.userAddress');
  wire(address, async () => (await import('../wallet/show.ts')).walletAddress);
  const allowance = wallet
    .command('allowance')
    .description('what the wallet lets a contract of the venue take')
    .argument('[token]', 'one token or stock; without it all')
    .option('--spender <address>', 'the contract, instead of the one in the config');
  wire(allowance, async () => (await import('../wallet/show.ts')).walletAllowance);
  const approve = wallet
    .command('approve')
    .description(
      "let the venue's contract take so much of a token; sent by the wallet itself, by venue.rpcUrl",
    )
    .argument('<token>', 'such as USDC or AAPL')
    .argument('<amount>', 'in whole tokens or shares; 0 takes it back');
  wire(moving(approve), async () => (await import('../wallet/approve.ts')).walletApprove);
  const cancel = wallet
    .command('cancel')
    .description('replace a waiting transaction by an empty one with its nonce at higher fees')
    .argument('<nonce>', 'as the message of a stuck wallet names it');
  wire(moving(cancel), async () => (await import('../wallet/cancel.ts')).walletCancel);
  const show = wallet
    .command('show')
    .description('what became of a transaction, such as a repayment or an approval; by venue.rpcUrl')
    .argument('<tx>', 'its hash')
    .option('--wait', 'until it is mined; Ctrl-C only ends the waiting');
  wire(show, async () => (await import('../wallet/show.ts')).walletShow);
}

/** What `drover orders` has beside its list: `place`, `cancel`, `show`, `record`. */
export function addOrderCommands(orders: Command, wire: Wire): void {
  const list = orders
    .command('list', { isDefault: true })
    .description('newest first')
    .option('--limit <n>', 'how many (default: 20)', wholeNumber);
  wire(list, async () => (await import('../orders/orders.ts')).ordersCommand);
  const place = orders
    .command('place')
    .description(
      'place one order by hand. A runner on the same account takes it for one of somebody else: it tells an alarm, and ' +
        'counts it in its exposure',
    )
    .argument('<symbol>', 'such as AAPL')
    .argument('<side>', 'buy or sell')
    .option('--market', 'at the market; a buy by --notional, a sell by --quantity')
    .option('--limit <price>', 'at this price or better, by --quantity, until the close')
    .option('--quantity <shares>', 'how many shares')
    .option('--notional <mUSD>', 'for how much, before fees')
    .option('--deferred', 'sell now, deliver later: the shares become a debt')
    .option(
      '--with-deposit <amount>',
      'first deposit so much from the wallet: cash for a buy, shares for a sell',
    )
    .option('--token <symbol>', 'which cash token is deposited');
  wire(moving(place), async () => (await import('../orders/place.ts')).ordersPlace);
  const cancel = orders
    .command('cancel')
    .description('cancel an open limit order')
    .argument('<order>', 'its id, or the hash of its transaction');
  wire(moving(cancel), async () => (await import('../orders/orders.ts')).ordersCancel);
  const show = orders
    .command('show')
    .description('one order')
    .argument('<order>', 'its id, or the hash of its transaction')
    .option('--wait', 'until it has ended; Ctrl-C only ends the waiting');
  wire(show, async () => (await import('../orders/orders.ts')).ordersShow);
  const record = orders
    .command('record')
    .description('link a transaction that the wallet has sent by itself to the key')
    .argument('<tx>', 'the hash of the transaction')
    .option(...KILL_STATE);
  wire(record, async () => (await import('../orders/orders.ts')).ordersRecord);
}
