import { existsSync } from 'node:fs';
import { ConfigError } from '../../core/errors.ts';
import type { Entry } from '../../domain/fact.ts';
import { giveCapital } from '../../engine/opening.ts';
import { readJournal } from '../../store/readJournal.ts';
import { dormantKernel } from '../run/dormantKernel.ts';
import type { LoadedConfig } from '../config/load.ts';
import { journalFile } from '../run/journal.ts';

/**
 * What a start would refuse of the capital, by the books in the state folder; null where it takes it, undefined where there
 * are no books yet.
 */
export function capitalTrouble({ config }: LoadedConfig): string | null | undefined {
  if (config.state === undefined || !existsSync(journalFile(config.state))) return undefined;
  const kernel = dormantKernel();
  try {
    const reader = readJournal(journalFile(config.state));
    try {
      kernel.recover(reader.lines() as Iterable<Entry>);
    } finally {
      reader.close();
    }
    if (kernel.desk.books.opened === null) return undefined;
    giveCapital(kernel.desk, config.strategies);
    return null;
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return error.message;
  }
}
