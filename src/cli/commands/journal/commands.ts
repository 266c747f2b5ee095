import type { Command } from 'commander';
import { STATE, wholeNumber, withExamples, type Wire } from '../../wire.ts';

/** `drover reconcile` and `drover journal …` */
export function addJournal(program: Command, wire: Wire): void {
  const compare = program
    .command('reconcile')
    .description('compare balances and live orders in journal and venue; exit 1 when they differ')
    .option(...STATE);
  wire(compare, async () => (await import('./reconcile.ts')).reconcile);
  withExamples(compare, ['reconcile', 'do journal and venue agree?']);
  const journal = program
    .command('journal')
    .description('read, check and recover the journal of a run; reading works while it runs');
  withExamples(journal, ['journal show --order b-17', 'the history of one order']);
  addReaders(journal, wire);
  const again = journal
    .command('replay')
    .description('replay the journal through the strategies; exit 1 on a difference, or nothing')
    .option(...STATE);
  wire(again, async () => (await import('./replay.ts')).journalReplay);
  addPrune(journal, wire);
  const recover = journal
    .command('recover')
    .description('start a new journal from what the venue shows; the old one is kept aside')
    .option('--yes', 'do it; without this flag the new journal is only shown')
    .option(...STATE);
  wire(recover, async () => (await import('./recover.ts')).journalRecover);
}

function addPrune(journal: Command, wire: Wire): void {
  const prune = journal
    .command('prune')
    .description('move closed years into archive files, which are still read')
    .option(
      '--before <year>',
      'move all years before this one (default: the year of the last entry)',
      wholeNumber,
    )
    .option('--keep <n>', 'keep this many years, counting the year of the last entry', wholeNumber)
    .option('--archive <dir>', 'folder of the archives instead of the state folder')
    .option('--yes', 'do it; without this flag only show what would move')
    .option(...STATE);
  wire(prune, async () => (await import('./prune.ts')).journalPrune);
}

function addReaders(journal: Command, wire: Wire): void {
  const show = journal
    .command('show')
    .description('show the entries in order, or the history of one order with its requests')
    .option('--order <id>', 'only this order, or held order with its orders, byte for byte')
    .option('--kind <kind>', 'only this kind: planned, order, external, ...')
    .option('--since <time>', 'only from this time on, New York time or with a zone')
    .option('--follow', 'keep printing new entries')
    .option(...STATE);
  wire(show, async () => (await import('./journal.ts')).journalShow);
  const out = journal
    .command('export')
    .description('write all entries to a new file, one JSON object a line')
    .argument('<file>', 'such as journal.jsonl')
    .option(...STATE);
  wire(out, async () => (await import('./journal.ts')).journalExport);
  const verify = journal
    .command('verify')
    .description('check that no entry is missing or was changed')
    .option(...STATE);
  wire(verify, async () => (await import('./journal.ts')).journalVerify);
}
