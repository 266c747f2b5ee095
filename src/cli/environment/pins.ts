import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Address, sameAddress } from '../../domain/instrument.ts';
import { Pins, ONE_CLICK } from '../../domain/account/pins.ts';
import { latestOf } from '../../store/readJournal.ts';
import { contractsOf } from '../config/sections.ts';
import type { LoadedConfig } from '../config/load.ts';
import { journalFile } from './ownership.ts';
import { ConfigError, SafetyError } from '../../core/errors.ts';
import { makeFolder } from '../../store/stateFolder.ts';
import { address } from '../config/fields.ts';
import { placeWhole } from '../files.ts';

/** Pins of the config (contracts by symbol) and of the journal. */
export type KnownPins = Readonly<{ contracts: ReadonlyMap<string, Address>; pins: Pins }>;

/** @throws {ConfigError} when the journal is damaged, or cannot be read */
export const knownPins = (loaded: LoadedConfig): KnownPins => ({
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

/** Contract and proxy wallet of a delegation, each with the source of its pin. */
export type DelegationPin = Readonly<{ contract?: PinnedAddress; delegatee?: PinnedAddress }>;
/** `by`: source: a config key, a flag, or the file with a person's confirmation. */
type PinnedAddress = Readonly<{ address: Address; by: string }>;
type DelegationFlags = Readonly<{ router?: string; delegatee?: string }>;

const FILE = 'one-click';
const kept = z.strictObject({ contract: address(), delegatee: address() });
type ConfirmedDelegation = z.output<typeof kept>;

/**
 * Contract and delegatee that One Click may be signed for: from the config, else the flags, else a person's confirmation.
 * @throws {ConfigError} for a flag that is not an address, or an unreadable file of the state folder
 * @throws {SafetyError} when a flag differs from the config or from the confirmation
 */
export function delegationPin(loaded: LoadedConfig, flags: DelegationFlags = {}): DelegationPin {
  const { venue, state } = loaded.config;
  const file = state === undefined ? null : join(state, FILE);
  const confirmed = file === null ? null : readConfirmed(file);
  const by = `${file ?? ''}, as confirmed before`;
  const contract = chosen([
    pinned(venue?.oneClickRouter, 'venue.oneClickRouter'),
    pinned(flagAddress(flags.router, '--router'), '--router'),
    pinned(confirmed?.contract, by),
  ]);
  const delegatee = chosen([
    pinned(venue?.delegatee, 'venue.delegatee'),
    pinned(flagAddress(flags.delegatee, '--delegatee'), '--delegatee'),
    pinned(confirmed?.delegatee, by),
  ]);
  return { ...(contract && { contract }), ...(delegatee && { delegatee }) };
}

/** Stores what a person has confirmed; nothing without a state folder. */
export function keepDelegation({ config: { state } }: LoadedConfig, delegation: ConfirmedDelegation): void {
  if (state === undefined) return;
  makeFolder(state, 'the state folder');
  const place = (fresh: string) => renameSync(fresh, join(state, FILE));
  placeWhole(state, `${JSON.stringify(delegation, null, 2)}\n`, { mode: 0o600, place });
}

/** Difference between the venue's delegatee and the pinned one, with both; null when there is none. */
export function againstDelegatee(
  stated: string | null | undefined,
  { delegatee }: DelegationPin,
): string | null {
  if (stated == null || delegatee === undefined || sameAddress(stated, delegatee.address)) return null;
  return `the delegatee is ${stated} at the venue, and ${delegatee.address} in ${delegatee.by}`;
}

/** Difference between the venue's delegatee and the journal's, with both; null when there is none, or the config names one. */
export function changedDelegatee(stated: string | null | undefined, loaded: LoadedConfig): string | null {
  const known = knownPins(loaded).pins.of(ONE_CLICK)?.['delegatee'];
  if (stated == null || known === undefined || sameAddress(stated, known)) return null;
  if (delegationPin(loaded).delegatee !== undefined) return null;
  return `the delegatee is ${stated} at the venue, and ${known} in the journal`;
}

const pinned = (given: Address | undefined, by: string): PinnedAddress[] =>
  given === undefined ? [] : [{ address: given, by }];

/** The first of the sources: the config precedes a flag, and a flag what was confirmed. A flag must agree with all others. */
function chosen(sources: readonly (readonly PinnedAddress[])[]): PinnedAddress | undefined {
  const given = sources.flat();
  const flag = given.find(({ by }) => by.startsWith('--'));
  const other = flag && given.find(({ address: one }) => !sameAddress(one, flag.address));
  if (flag && other)
    throw new SafetyError(
      `nothing was signed: ${flag.by} is ${flag.address}, and ${other.by} is ${other.address}. ` +
        'To accept a change of the venue, set venue.oneClickRouter and venue.delegatee in the config',
    );
  return given[0];
}

function flagAddress(text: string | undefined, flag: string): Address | undefined {
  if (text === undefined) return undefined;
  const parsed = address().safeParse(text);
  if (parsed.success) return parsed.data;
  throw new ConfigError(`${flag} ${parsed.error.issues[0]?.message ?? 'must be an address'}`);
}

function readConfirmed(file: string): ConfirmedDelegation | null {
  if (!existsSync(file)) return null;
  try {
    return kept.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new ConfigError(
      `${file} cannot be read. It holds the addresses that One Click was confirmed for: restore it, or remove it and confirm again`,
      { file },
      { cause },
    );
  }
}
