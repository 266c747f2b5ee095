import { existsSync } from 'node:fs';
import type { Address } from '../../domain/instrument.ts';
import { Pins } from '../../domain/pins.ts';
import { latestOf } from '../../store/readJournal.ts';
import { contractsOf } from '../config/contracts.ts';
import type { LoadedConfig } from '../config/load.ts';
import { journalFile } from './journal.ts';

/** Pins of the config (contracts by symbol) and of the journal. */
export type Pinned = Readonly<{ contracts: ReadonlyMap<string, Address>; pins: Pins }>;

/** @throws {ConfigError} when the journal is damaged, or cannot be read */
export const pinnedOf = (loaded: LoadedConfig): Pinned => ({
  contracts: contractsOf(loaded.config),
  pins: pinsIn(loaded),
});

/**
 * The pins of the journal in the config's state folder, which a run may be writing; none where there is no journal yet.
 * @throws {ConfigError} when the journal is damaged, or cannot be read
 */
function pinsIn({ config }: LoadedConfig): Pins {
  const pins = new Pins();
  const file = config.state === undefined ? null : journalFile(config.state);
  if (file === null || !existsSync(file)) return pins;
  const facts = latestOf(file, ['pinned', 'departed', 'instruments'], Number.MAX_SAFE_INTEGER);
  for (const { fact } of facts.reverse())
    if (fact.kind === 'pinned' || fact.kind === 'departed' || fact.kind === 'instruments') pins.apply(fact);
  return pins;
}
