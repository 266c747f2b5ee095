import type { Command } from 'commander';
import { collect, KILL_STATE, wholeNumber, withExamples, type Wire } from '../../wire.ts';

/** `drover doctor` */
export function addDoctor(program: Command, wire: Wire): void {
  const doctor = program
    .command('doctor')
    .description('check config, key, clock, delegation and symbols, and say what to do')
    .argument('[config]', 'config file (default: config/emulator.yaml)')
    .option('--probe', 'also compare names, words and forms with the venue, and say what to write');
  wire(doctor, async () => (await import('./doctor.ts')).doctorCommand);
  withExamples(doctor, ['doctor live.yaml', 'what is missing before the first order']);
}

/** `drover balance` and `drover positions` */
export function addBalance(program: Command, wire: Wire): void {
  const balance = program.command('balance').description('show mUSD and the tokens in the wallet');
  wire(balance, async () => (await import('./balance.ts')).balanceCommand);
  withExamples(balance, ['balance --json', 'cash and tokens, as JSON']);
  const positions = program
    .command('positions')
    .description('show the stock on the exchange and in the wallet');
  wire(positions, async () => (await import('./balance.ts')).positionsCommand);
  withExamples(positions, ['positions', 'stock on the exchange and in the wallet']);
}

/** `drover api` */
export function addApi(program: Command, wire: Wire): void {
  const api = program
    .command('api')
    .description('send one signed call to the venue, and print its envelope')
    .argument('<method>', 'GET, POST or DELETE')
    .argument('<path>', 'path, starting with /api/v1')
    .option('--query <k=v>', 'query parameter; repeatable', collect)
    .option('--data <json>', 'body, sent byte for byte')
    .option('--allow <group>', 'allow a group beyond read and trade, such as deposits; repeatable', collect)
    .option('--dry-run', 'print what would be sent, and send nothing')
    .option('--yes', 'do not ask before a call that changes something at the venue')
    .option(...KILL_STATE);
  wire(api, async () => (await import('./api.ts')).apiCommand);
  withExamples(api, ['api GET /api/v1/orders --query limit=5', 'one signed call']);
}

/** `drover oneclick …` */
export function addOneClick(program: Command, wire: Wire): void {
  const group = program
    .command('oneclick')
    .description('manage the delegation with which the venue sends orders for the wallet');
  withExamples(group, ['oneclick status', 'is delegation in force?']);
  const status = group.command('status').description('show whether delegation is active, and to whom');
  wire(status, async () => (await import('./oneclick.ts')).oneClickStatus);
  const enable = group
    .command('enable')
    .description('check the delegation request, sign it with the wallet key, and turn it on')
    .option('--router <address>', 'expected One Click contract; any other is refused')
    .option('--delegatee <address>', 'expected proxy wallet; any other is refused')
    .option('--yes', 'do not ask; config or flags must name contract and delegatee')
    .option('--minutes <n>', 'validity of the signature, at most 10 (default: 5)', wholeNumber)
    .option(...KILL_STATE);
  wire(enable, async () => (await import('./oneclick.ts')).oneClickEnable);
  const disable = group
    .command('disable')
    .description('turn delegation off; open orders stay')
    .option(...KILL_STATE);
  wire(disable, async () => (await import('./oneclick.ts')).oneClickDisable);
}

/** `drover calendar`, `drover corporate-actions` and `drover openapi` */
export function addReference(program: Command, wire: Wire): void {
  const calendar = program
    .command('calendar')
    .description('list the regular sessions between two dates')
    .requiredOption('--from <date>', 'first date, such as 2026-11-01')
    .requiredOption('--to <date>', 'last date');
  wire(calendar, async () => (await import('./calendar.ts')).calendarCommand);
  withExamples(calendar, ['calendar --from 2026-11-01 --to 2026-11-30', 'the sessions of a month']);
  const actions = program
    .command('corporate-actions')
    .description('list splits, dividends and spin-offs')
    .option('--symbols <list>', 'only these, separated by commas')
    .option('--from <date>', 'first ex-date, such as 2026-06-15')
    .option('--to <date>', 'last ex-date');
  wire(actions, async () => (await import('./corporateActions.ts')).corporateActions);
  withExamples(actions, ['corporate-actions --symbols AAPL,MSFT', 'splits and dividends']);
  const openapi = program
    .command('openapi')
    .description("print the venue's endpoints as an OpenAPI document")
    .option('--out <file>', 'write it to this file instead');
  wire(openapi, async () => (await import('./api.ts')).openapiCommand);
  withExamples(openapi, ['openapi --out venue.json', "the venue's endpoints"]);
}
