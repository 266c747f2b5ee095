import { existsSync, readFileSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Address, sameAddress } from '../../domain/instrument.ts';
import { ONE_CLICK, stockSubject, type Pin, type PinSubject } from '../../domain/account/pins.ts';
import { latestOf } from '../../store/readJournal.ts';
import { contractsOf } from '../config/stocks.ts';
import type { LoadedConfig } from '../config/load.ts';
import { journalFile } from './ownership.ts';
import { ConfigError, SafetyError } from '../../core/errors.ts';
import { makeFolder } from '../../store/stateFolder.ts';
import { address } from '../config/fields.ts';
import { placeWhole } from '../../process/files.ts';
import { Pins } from '../../domain/account/pinBook.ts';

/** Pins of the config (contracts by symbol) and of the journal, and contracts confirmed by hand that neither pins. */
export type KnownPins = Readonly<{
  contracts: ReadonlyMap<string, Address>;
  pins: Pins;
  confirmed: ReadonlyMap<PinSubject, PinnedAddress>;
}>;

/** @throws {ConfigError} when the journal is damaged, or it or the file of confirmed contracts cannot be read */
export function knownPins(loaded: LoadedConfig): KnownPins {
  const contracts = contractsOf(loaded.config);
  const pins = pinsIn(loaded);
  const confirmed = new Map<PinSubject, PinnedAddress>();
  const file = fileIn(loaded, CONTRACTS);
  for (const [name, address] of Object.entries(readConfirmed(file, CONTRACTS) ?? {})) {
    const subject = name as PinSubject;
    if (pins.of(subject) === undefined) confirmed.set(subject, { address, by: confirmedIn(file) });
  }
  for (const symbol of contracts.keys()) confirmed.delete(stockSubject(symbol));
  return { contracts, pins, confirmed };
}

/** Contracts confirmed by hand that neither config nor journal pins, for the next start. @throws what `knownPins` throws */
export function confirmedPins(loaded: LoadedConfig): readonly Pin[] {
  const file = fileIn(loaded, CONTRACTS);
  if (file === null || !existsSync(file)) return [];
  return [...knownPins(loaded).confirmed].map(([subject, { address: contract }]) => ({
    subject,
    terms: { address: contract.toLowerCase() },
  }));
}

/**
 * Pins in the journal of the config's state folder, which a run may be writing; none if there is no journal yet.
 * @throws {ConfigError} when the journal is damaged, or cannot be read
 */
function pinsIn({ config }: LoadedConfig): Pins {
  const pins = new Pins();
  const file = config.state === undefined ? null : journalFile(config.state);
  if (file === null || !existsSync(file)) return pins;
  const facts = latestOf(file, ['pinned', 'departed', 'instruments'], Number.MAX_SAFE_INTEGER);
  for (const { fact } of facts.reverse()) pins.apply(fact);
  return pins;
}

/** Contract and proxy wallet of a delegation, each with the source of its pin. */
export type DelegationPin = Readonly<{ contract?: PinnedAddress; delegatee?: PinnedAddress }>;
/** `by`: its source: a config key, a flag, or the file of confirmations. */
type PinnedAddress = Readonly<{ address: Address; by: string }>;
type DelegationFlags = Readonly<{ router?: string; delegatee?: string }>;

/** File in the state folder that keeps a person's confirmations. `of`: its content, as named in errors. */
type ConfirmedFile<T> = Readonly<{ name: string; of: string; shape: z.ZodType<T> }>;

const delegation = z.strictObject({ contract: address(), delegatee: address() });
type ConfirmedDelegation = z.output<typeof delegation>;
const DELEGATION: ConfirmedFile<ConfirmedDelegation> = {
  name: 'one-click',
  of: 'the addresses that One Click was confirmed for',
  shape: delegation,
};
const CONTRACTS: ConfirmedFile<Record<string, Address>> = {
  name: 'contracts',
  of: 'the contracts that were confirmed by hand',
  shape: z.record(z.string(), address()),
};

const fileIn = ({ config: { state } }: LoadedConfig, { name }: ConfirmedFile<unknown>): string | null =>
  state === undefined ? null : join(state, name);

const confirmedIn = (file: string | null): string => `${file ?? ''}, as confirmed before`;

/**
 * Contract and delegatee that One Click may be signed for: from the config, else the flags, else a person's confirmation.
 * @throws {ConfigError} for a flag that is not an address, or an unreadable file of the state folder
 * @throws {SafetyError} when a flag differs from the config or from the confirmation
 */
export function delegationPin(loaded: LoadedConfig, flags: DelegationFlags = {}): DelegationPin {
  const { venue } = loaded.config;
  const file = fileIn(loaded, DELEGATION);
  const confirmed = readConfirmed(file, DELEGATION);
  const by = confirmedIn(file);
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

/** Stores a person's confirmation; does nothing without a state folder. */
export function keepDelegation({ config: { state } }: LoadedConfig, confirmed: ConfirmedDelegation): void {
  if (state === undefined) return;
  makeFolder(state, 'the state folder');
  const place = (fresh: string) => renameSync(fresh, join(state, DELEGATION.name));
  placeWhole(state, `${JSON.stringify(confirmed, null, 2)}\n`, { mode: 0o600, place });
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

/** The first of the sources: config before flag before confirmation. A flag must agree with all others. */
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

function readConfirmed<T>(file: string | null, { of, shape }: ConfirmedFile<T>): T | null {
  if (file === null || !existsSync(file)) return null;
  try {
    return shape.parse(JSON.parse(readFileSync(file, 'utf8')));
  } catch (cause) {
    throw new ConfigError(
      `${file} cannot be read. It holds ${of}: restore it, or remove it and confirm again`,
      { file },
      { cause },
    );
  }
}
