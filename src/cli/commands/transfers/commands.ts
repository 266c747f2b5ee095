import type { Command } from 'commander';
import { wholeNumber, withSendFlags, withExamples, type Wire } from '../../wire.ts';

const SHARES = ['<amount>', 'number of shares'] as const;
const SYMBOL = ['<symbol>', 'such as AAPL'] as const;

/** `drover cash …`, `drover stock …`, `drover debt …` */
export function addTransfers(program: Command, wire: Wire): void {
  addCash(program, wire);
  addStock(program, wire);
  addDebt(program, wire);
}

function addCash(program: Command, wire: Wire): void {
  const cash = program.command('cash').description('move cash between the wallet and the venue');
  withExamples(cash, ['cash deposit 100.5 --token USDC', 'from the wallet to the venue']);
  const deposit = cash
    .command('deposit')
    .description('deposit cash tokens of the wallet as mUSD')
    .argument('<amount>', 'in whole tokens, such as 100.5')
    .option('--token <symbol>', 'cash token to deposit');
  wire(withSendFlags(deposit), async () => (await import('./cashAndStock.ts')).moveCash('cashDeposit'));
  const withdraw = cash
    .command('withdraw')
    .description('withdraw mUSD as cash tokens to the wallet')
    .argument('<amount>', 'in mUSD, fees included')
    .option('--token <symbol>', 'cash token to receive');
  wire(withSendFlags(withdraw), async () => (await import('./cashAndStock.ts')).moveCash('cashWithdrawal'));
  addLists(cash, wire, 'cash');
}

function addStock(program: Command, wire: Wire): void {
  const stock = program.command('stock').description('move shares between the wallet and the exchange');
  withExamples(stock, ['stock withdraw AAPL 2', 'from the exchange to the wallet']);
  const deposit = stock
    .command('deposit')
    .description('deposit shares of the wallet on the exchange')
    .argument(...SYMBOL)
    .argument(...SHARES);
  wire(withSendFlags(deposit), async () => (await import('./cashAndStock.ts')).moveStock('stockDeposit'));
  const withdraw = stock
    .command('withdraw')
    .description('withdraw shares from the exchange to the wallet')
    .argument(...SYMBOL)
    .argument(...SHARES);
  wire(withSendFlags(withdraw), async () => (await import('./cashAndStock.ts')).moveStock('stockWithdrawal'));
  addLists(stock, wire, 'stock');
}

function addLists(group: Command, wire: Wire, family: 'cash' | 'stock'): void {
  const list = group
    .command('list')
    .description('list deposits and withdrawals, newest first')
    .option('--limit <n>', 'number of rows (default: 20)', wholeNumber);
  wire(list, async () => (await import('./cashAndStock.ts')).listTransfers(family));
  const show = group
    .command('show')
    .description('show one deposit or withdrawal')
    .argument('<id>', 'operation id, or the hash of its transaction')
    .option('--wait', 'wait until it has ended; Ctrl-C only ends the waiting');
  wire(show, async () => (await import('./cashAndStock.ts')).showTransfer(family));
}

function addDebt(program: Command, wire: Wire): void {
  const debt = program.command('debt').description('show and repay shares owed for deferred sells');
  withExamples(debt, ['debt repay AAPL 1', 'with shares of the wallet']);
  const list = debt.command('list').description('list the shares owed of each stock');
  wire(list, async () => (await import('./debt.ts')).debtList);
  const repay = debt
    .command('repay')
    .description('repay the debt with shares of the wallet')
    .argument(...SYMBOL)
    .argument(...SHARES);
  wire(withSendFlags(repay), async () => (await import('./debt.ts')).debtRepay);
}
