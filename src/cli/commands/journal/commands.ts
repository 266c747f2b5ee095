import type { Command } from 'commander';
import { saidText, type Wire } from '../../wire.ts';

const STATE = ['--state <dir>', 'state folder of the run, instead of what the config says'] as const;

/** `drover journal …` and `drover reconcile` */
export function addJournal(program: Command, wire: Wire): void {
  const compare = program
    .command('reconcile')
    .description('what journal and venue say of balances and live orders; exit 1 when they differ')
    .option('--state <dir>', 'state folder of the run, instead of what the config says');
  wire(compare, async () => (await import('./reconcile.ts')).reconcile);
  addOperator(program, wire);
  const journal = program
    .command('journal')
    .description('what a run has written down; may be read while it runs');
  const show = journal
    .command('show')
    .description('its entries in order, or the history of one order with all that was sent')
    .option('--order <id>', 'of this order alone, with each request byte for byte')
    .option('--kind <kind>', 'of this kind alone: planned, order, external, ...')
    .option('--since <time>', 'from this time on, New York time or with a zone')
    .option('--follow', 'go on with what is written from now on')
    .option(...STATE);
  wire(show, async () => (await import('./journal.ts')).journalShow);
  const out = journal
    .command('export')
    .description('write all entries to a new file, as JSON, one a line')
    .argument('<file>', 'such as journal.jsonl')
    .option(...STATE);
  wire(out, async () => (await import('./journal.ts')).journalExport);
  const verify = journal
    .command('verify')
    .description('check that every entry is there, and is as it was written')
    .option(...STATE);
  wire(verify, async () => (await import('./journal.ts')).journalVerify);
  const again = journal
    .command('replay')
    .description(
      'let the strategies decide anew on what the run was shown; exit 1 when they decide otherwise',
    )
    .option(...STATE);
  wire(again, async () => (await import('./replay.ts')).journalReplay);
  const recover = journal
    .command('recover')
    .description('begin a new journal from what the venue shows, and keep the old one aside')
    .option('--yes', 'do it; without this it is only shown')
    .option(...STATE);
  wire(recover, async () => (await import('./recover.ts')).journalRecover);
}

/** What an operator decides of a run that stands still. */
function addOperator(program: Command, wire: Wire): void {
  const REASON = ['--reason <text>', 'why: it is kept in the journal', saidText] as const;
  const release = program
    .command('release')
    .description('let go of a frozen symbol, once ledger and venue agree on it; the runner must not run')
    .argument('<symbol>', 'such as AAPL')
    .requiredOption(...REASON)
    .option('--accept-terms', 'accept the terms that the venue lists now, such as a new contract')
    .option('--yes', 'do not ask before accepting new terms')
    .option(...STATE);
  wire(release, async () => (await import('./release.ts')).releaseSymbol);
  const halt = program
    .command('halt')
    .description('place no order more, across restarts, until `resume`; beside a run it makes the kill file')
    .requiredOption(...REASON)
    .option(...STATE);
  wire(halt, async () => (await import('./halt.ts')).haltTrading);
  const resume = program
    .command('resume')
    .description('end a halt, once ledger and venue agree; beside a run it removes the kill file of `halt`')
    .requiredOption(...REASON)
    .option(...STATE);
  wire(resume, async () => (await import('./halt.ts')).resumeTrading);
  const adopt = program
    .command('adopt')
    .description('take over what the venue has of an asset where the ledger differs; the runner must not run')
    .argument('<asset>', 'mUSD, a symbol, or the address of a cash token')
    .requiredOption(...REASON)
    .option('--for <strategy>', 'whose it is; by default what no strategy was given')
    .option('--yes', 'do it; without this it is only shown')
    .option(...STATE);
  wire(adopt, async () => (await import('./release.ts')).adoptCommand);
}
