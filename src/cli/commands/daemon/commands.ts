import type { Command } from 'commander';
import { STATE, reasonText, wholeNumber, withExamples, type Wire } from '../../wire.ts';

const WHY = ['--reason <text>', 'reason, kept in the journal', reasonText] as const;
const REASON = ['--reason <text>', 'reason, kept in the journal (default: by hand)', reasonText] as const;
const TIMEOUT = ['--timeout <s>', 'longest wait for the rest (default: 120 s)', wholeNumber] as const;
const YES = ['--yes', 'do it without asking'] as const;

/** `drover status` and the commands that control a run: through its control API, or without a run in its journal. */
export function addDaemon(program: Command, wire: Wire): void {
  const status = program
    .command('status')
    .description('show a run on one screen; without a run, what its journal says')
    .option('--watch', 'repaint it until the run ends')
    .option('--all', 'every daemon of this user, one line each, worst first')
    .option('--fleet <file>', 'every daemon named in this file instead')
    .option(...STATE);
  wire(status, async () => (await import('./status.ts')).statusCommand);
  withExamples(
    status,
    ['status --watch', 'repaint it until the run ends'],
    ['status --all', 'each daemon of this user'],
  );
  const dashboard = program
    .command('dashboard')
    .description('print an address that opens the page in a browser and signs it in once')
    .option('--open', 'open it in the browser of this machine as well')
    .option('--read-only', 'let the browser watch the run but not control it')
    .option('--fleet <file>', 'serve one page for the daemons named in this file')
    .option('--sign-out', 'sign every browser out of this run, and print no address')
    .option(...STATE);
  wire(dashboard, async () => (await import('./dashboard.ts')).dashboard);
  withExamples(dashboard, ['dashboard --open', 'the page in your browser']);
  addStates(program, wire);
  addSales(program, wire);
  addDecisions(program, wire);
}

const withScope = (command: Command): Command =>
  command
    .option('--strategy <id>', 'only this strategy')
    .option('--symbol <symbol>', 'only this stock')
    .option(...YES)
    .option(...STATE);

function addStates(program: Command, wire: Wire): void {
  const pause = program
    .command('pause')
    .description('halt trading: no order and no transfer until `resume`, across restarts')
    .option(...REASON)
    .option('--cancel', 'cancel open orders as well')
    .option(...TIMEOUT);
  wire(withScope(pause), async () => (await import('./trading.ts')).pause);
  withExamples(pause, ['pause --reason "earnings tonight" --cancel', 'send nothing, cancel what is open']);
  const reduce = program
    .command('reduce')
    .description('let through only orders that make a position smaller, until `resume`')
    .option(...REASON)
    .option('--cancel', 'cancel open buys as well')
    .option(...TIMEOUT);
  wire(withScope(reduce), async () => (await import('./trading.ts')).reduce);
  withExamples(reduce, ['reduce --strategy sma', 'let this strategy only sell']);
  const resume = program
    .command('resume')
    .description('end a `pause`, `reduce` or `flatten` once ledger and venue agree')
    .requiredOption(...WHY);
  wire(withScope(resume), async () => (await import('./trading.ts')).resume);
  withExamples(resume, ['resume --reason "checked"', 'end pause, reduce or flatten']);
  const halt = program
    .command('halt')
    .description('halt all trading, as `pause` does, without a question')
    .option(...REASON)
    .option(...STATE);
  wire(halt, async () => (await import('./trading.ts')).pause);
  withExamples(halt, ['halt --reason "odd prices"', 'send nothing until resume']);
}

function addSales(program: Command, wire: Wire): void {
  const cancel = program
    .command('cancel')
    .description('cancel open orders of the run: all, those of a scope, or those named')
    .argument('[orders...]', 'ids of orders')
    .option(...REASON)
    .option(...TIMEOUT);
  wire(withScope(cancel), async () => (await import('./trading.ts')).cancelOrders);
  withExamples(cancel, ['cancel --symbol AAPL', 'cancel open orders of one stock']);
  const flatten = program
    .command('flatten')
    .description('halt, cancel, and sell what the strategies of the run hold')
    .option('--unallocated', 'sell unallocated shares as well')
    .option(...REASON)
    .option(...TIMEOUT);
  wire(withScope(flatten), async () => (await import('./trading.ts')).flatten);
  withExamples(flatten, ['flatten --strategy sma --yes', 'sell what a strategy holds']);
  const stop = program
    .command('stop')
    .description('shut the run down, as Ctrl-C does, and wait for its end')
    .option('--cancel', 'cancel open orders first')
    .option(...REASON)
    .option('--timeout <s>', 'longest wait for its end (default: 120 s)', wholeNumber)
    .option(...YES)
    .option(...STATE);
  wire(stop, async () => (await import('./trading.ts')).stop);
  withExamples(stop, ['stop --cancel', 'cancel open orders, then end the run']);
}

function addDecisions(program: Command, wire: Wire): void {
  const freeze = program
    .command('freeze')
    .description('place no order on a stock until `unfreeze`')
    .argument('<symbol>', 'such as AAPL')
    .requiredOption(...WHY)
    .option(...YES)
    .option(...STATE);
  wire(freeze, async () => (await import('./decisions.ts')).decision('freeze'));
  withExamples(freeze, ['freeze GME --reason "halted elsewhere"', 'place no order on a stock']);
  const unfreeze = program
    .command('unfreeze')
    .alias('release')
    .description('unfreeze a stock once ledger and venue agree on it')
    .argument('<symbol>', 'such as AAPL; or fees, one-click, a cash token')
    .requiredOption(...WHY)
    .option('--accept-terms', 'accept the terms that the venue lists now, such as a new contract')
    .option('--yes', 'accept new terms without asking')
    .option(...STATE);
  wire(unfreeze, async () => (await import('./decisions.ts')).unfreeze);
  withExamples(unfreeze, ['unfreeze GME --reason "trades again"', 'place orders on it again']);
  const accept = program
    .command('accept')
    .alias('adopt')
    .description("accept the venue's balance of an asset in the ledger")
    .argument('<asset>', 'mUSD, a symbol, or the address of a cash token')
    .requiredOption(...WHY)
    .option('--for <strategy>', 'strategy that gets or bears the difference (default: unallocated)')
    .option('--yes', 'do it; without this flag the difference is only shown')
    .option(...STATE);
  wire(accept, async () => (await import('./decisions.ts')).accept);
  withExamples(accept, [
    'accept AAPL --reason "moved by hand" --yes',
    "take the venue's balance into the ledger",
  ]);
  const resolve = program
    .command('resolve')
    .description('close an unanswered order; you vouch that the indexer has passed its deadline')
    .argument('<order>', 'id of the order or transfer, as the alarm names it')
    .requiredOption(...WHY)
    .option('--yes', 'do it; without this flag the decision is only shown')
    .option(...STATE);
  wire(resolve, async () => (await import('./decisions.ts')).resolve);
  withExamples(resolve, ['resolve b-17 --reason "indexer has passed it" --yes', 'close an unanswered order']);
  const ack = program
    .command('ack')
    .description('mark an alarm of the run as seen, or all of them')
    .argument('[alarm]', 'id of the alarm, as `status` shows it')
    .option(...REASON)
    .option(...YES)
    .option(...STATE);
  wire(ack, async () => (await import('./decisions.ts')).acknowledge);
  withExamples(ack, ['ack', 'mark every alarm as seen']);
}
