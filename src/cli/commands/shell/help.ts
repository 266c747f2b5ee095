import type { Command } from 'commander';

/** Groups of the help in its order, each with its commands. */
export const HELP_GROUPS: Readonly<Record<string, readonly string[]>> = {
  'Begin and run:': wordsOf('init run emulator doctor'),
  'Watch and steer a run:': wordsOf(
    'status dashboard pause reduce resume halt cancel flatten stop freeze unfreeze accept resolve ack notify',
  ),
  'Backtest and search:': wordsOf('backtest compare report lookahead-check optimise worker data'),
  'Account, orders and transfers by hand:': wordsOf(
    'balance positions orders cash stock debt oneclick wallet api',
  ),
  'Books of a run:': wordsOf('fills lots income reconcile journal backup restore'),
  'Config, keys and reference:': wordsOf('config keys calendar corporate-actions openapi completion'),
};

function wordsOf(text: string): readonly string[] {
  return text.split(' ');
}

/** A command line, without the program's name, and what it does. */
type Example = readonly [line: string, meaning: string];

/** Examples by the command under whose help they stand; '' is the program's own. */
export const EXAMPLES: Readonly<Record<string, readonly Example[]>> = {
  '': [
    ['init my-bot', 'make a folder with a strategy, a test and configs'],
    ['run --speed max', 'trade one day on the bundled emulator'],
    ['backtest --strategy sma-cross --bars AAPL', 'run a strategy over stored bars'],
    ['status', 'show the run of this user'],
  ],
  init: [['init my-bot --symbol AAPL --capital 5000', 'a folder for a bot that trades AAPL']],
  run: [
    ['run my.yaml --state state', 'go on where the state folder stopped'],
    ['run --start 2026-06-15T09:25 --speed 60 --until close', 'a day of the emulator in minutes'],
    ['run base.yaml --config live.yaml --live', 'real money; what live.yaml sets wins'],
  ],
  emulator: [['emulator --port 8080 --state venue', 'a venue on this machine that survives a restart']],
  doctor: [['doctor live.yaml', 'what is missing before the first order']],
  status: [
    ['status --watch', 'repaint it until the run ends'],
    ['status --all', 'each daemon of this user'],
  ],
  dashboard: [['dashboard --open', 'the page in your browser']],
  pause: [['pause --reason "earnings tonight" --cancel', 'send nothing, cancel what is open']],
  reduce: [['reduce --strategy sma', 'let this strategy only sell']],
  resume: [['resume --reason "checked"', 'end pause, reduce or flatten']],
  halt: [['halt --reason "odd prices"', 'send nothing until resume']],
  cancel: [['cancel --symbol AAPL', 'cancel open orders of one stock']],
  flatten: [['flatten --strategy sma --yes', 'sell what a strategy holds']],
  stop: [['stop --cancel', 'cancel open orders, then end the run']],
  freeze: [['freeze GME --reason "halted elsewhere"', 'place no order on a stock']],
  unfreeze: [['unfreeze GME --reason "trades again"', 'place orders on it again']],
  accept: [['accept AAPL --reason "moved by hand" --yes', "accept the venue's balance in the ledger"]],
  resolve: [['resolve b-17 --reason "indexer has passed it" --yes', 'close an unanswered order']],
  ack: [['ack', 'mark every alarm as seen']],
  notify: [['notify test', 'send a test message by every channel']],
  backtest: [
    ['backtest --strategy sma-cross --bars AAPL=aapl.csv --report run.html', 'one strategy, one file'],
    ['backtest my.yaml --from 2025-01-01 --json', 'the strategies of a config, as JSON'],
  ],
  compare: [['compare a.json b.json', 'what differs between two runs']],
  report: [['report --state state --out run.html', 'a running run, as a page']],
  'lookahead-check': [['lookahead-check --strategy ./mine.ts --bars AAPL', 'does it look ahead?']],
  optimise: [
    [
      'optimise --strategy sma-cross --bars AAPL --space \'{"fast":[5,10],"slow":[30,60]}\'',
      'try four parameter sets',
    ],
  ],
  worker: [['worker --queue postgres://me@host/drover', 'run trials from a shared queue']],
  data: [
    ['data generate TEST --from 2024-01-01 --to 2025-01-01', 'bars to try things out'],
    ['data import AAPL.csv', 'bars of your own'],
  ],
  balance: [['balance --json', 'cash and tokens, as JSON']],
  positions: [['positions', 'stock on the exchange and in the wallet']],
  orders: [
    ['orders --limit 50', 'the latest 50'],
    ['orders place AAPL buy --market --notional 100', 'buy AAPL for 100 mUSD'],
  ],
  cash: [['cash deposit 100.5 --token USDC', 'from the wallet to the venue']],
  stock: [['stock withdraw AAPL 2', 'from the exchange to the wallet']],
  debt: [['debt repay AAPL 1', 'with shares of the wallet']],
  oneclick: [['oneclick status', 'is delegation in force?']],
  wallet: [['wallet allowance USDC', 'what the contract of the venue may take']],
  api: [['api GET /api/v1/orders --query limit=5', 'one signed call']],
  fills: [['fills --year 2026 --csv', 'the fills of a year']],
  lots: [['lots --method highest --year 2026', 'gains of a year']],
  income: [['income --state state', 'dividends']],
  reconcile: [['reconcile', 'do journal and venue agree?']],
  journal: [['journal show --order b-17', 'the history of one order']],
  backup: [['backup /backup/monday', 'copy a run, also while it is active']],
  restore: [['restore /backup/monday --state state', 'into a new state folder']],
  config: [
    ['config explain my.yaml', 'every value, and where it came from'],
    ['config reload --dry-run', 'what a run would take from its config'],
  ],
  keys: [['keys create trading', 'a new wallet key, sealed with a password']],
  calendar: [['calendar --from 2026-11-01 --to 2026-11-30', 'the sessions of a month']],
  'corporate-actions': [['corporate-actions --symbols AAPL,MSFT', 'splits and dividends']],
  openapi: [['openapi --out venue.json', "the venue's endpoints"]],
  completion: [
    ['completion bash > ~/.local/share/bash-completion/completions/drover', 'bash'],
    ['completion zsh > ~/.zfunc/_drover', 'zsh, with ~/.zfunc in fpath before compinit'],
    ['completion fish > ~/.config/fish/completions/drover.fish', 'fish'],
  ],
};

/** Column at which the meanings begin, where the lines are short enough. */
const COLUMN = 48;

/** Examples for the end of a help, or null. */
function examplesText(name: string): string | null {
  const examples = EXAMPLES[name];
  if (!examples) return null;
  const lines = examples.map(([line, meaning]) => `    ${`drover ${line}`.padEnd(COLUMN)}  # ${meaning}`);
  return `\n${['Examples:', ...lines].join('\n')}`;
}

/** Puts the commands of a program into the groups of its help, in their order, and examples under each. */
export function arrangeHelp(program: Command): void {
  const names = Object.values(HELP_GROUPS).flat();
  const rank = (command: Command) => names.indexOf(command.name());
  (program.commands as Command[]).sort((one, other) => rank(one) - rank(other));
  for (const [title, members] of Object.entries(HELP_GROUPS))
    for (const command of program.commands) if (members.includes(command.name())) command.helpGroup(title);
  program.commandsGroup(Object.keys(HELP_GROUPS).at(-1) ?? '').helpCommand(true);
  for (const command of [program, ...program.commands]) {
    const text = examplesText(command === program ? '' : command.name());
    if (text !== null) command.addHelpText('after', text);
  }
}
