import {
  cashTokenSubject,
  departures,
  describeDepartures,
  plainOr,
  stockSubject,
  stockTerms,
  type PinSubject,
  type PinTerms,
} from '../../domain/account/pins.ts';
import { SafetyError } from '../../core/errors.ts';
import { isTicker, sameAddress, type Address, type Instrument } from '../../domain/instrument.ts';
import { knownPins, type KnownPins } from './pins.ts';
import { suggest } from '../../core/suggest.ts';
import type { LoadedConfig } from '../config/load.ts';
import type { ListedRow, StatedToken } from './market.ts';
import { isCashToken, pinnedCashTokens } from '../../domain/account/pinBook.ts';

/** @throws {SafetyError} for a token that the journal has not pinned, if it has any pins */
function requireKnown(
  { name, address }: Readonly<{ name: string; address: Address }>,
  { pins }: KnownPins,
): void {
  if (isCashToken(pins, address)) return;
  const known = [...pinnedCashTokens(pins)].map(([pinned, { address: at = '' }]) => `${pinned} ${at}`);
  throw refusal(
    name,
    `${address} is not one of the cash tokens pinned in the journal (${known.join(', ')}). If it is the one ` +
      'you mean, name it by its address',
  );
}

/**
 * Compares a token of the wallet with the pin under the name that a person gave, otherwise under its name in the balance. A
 * token given by its address needs no comparison.
 * @throws {SafetyError} when they differ, or it is none of the cash tokens in the journal
 */
export function requirePinnedToken(
  token: StatedToken,
  wanted: string,
  { loaded }: Readonly<{ loaded: LoadedConfig }>,
): void {
  const { symbol: name, address } = token;
  if (sameAddress(wanted, address)) return;
  const pinned = knownPins(loaded);
  const symbol = wanted.toUpperCase();
  if (isTicker(symbol)) requireConfirmed({ subject: stockSubject(symbol), name: symbol, pinned }, address);
  requireConfirmed({ subject: cashTokenSubject(name), name, pinned }, address);
  const given = againstName(token, wanted, pinned);
  const reasons = given.length > 0 ? given : againstName(token, name, pinned);
  if (reasons.length === 0) return requireKnown({ name, address }, pinned);
  const [why] = reasons;
  if (why != null && !reasons.includes(null)) throw refusal(wanted, why);
}

/** Differences of a token from every stock or cash token pinned under a name; null if it matches. */
function againstName(
  { address, decimals }: StatedToken,
  name: string,
  pinned: KnownPins,
): readonly (string | null)[] {
  const stated = { address: address.toLowerCase() };
  const symbol = name.toUpperCase();
  const isStock = isTicker(symbol) && (pinned.contracts.has(symbol) || pinned.pins.contractOf(symbol));
  const stock = isStock ? [against(stated, { subject: stockSubject(symbol), name: symbol, pinned })] : [];
  const cashTokens = [...pinnedCashTokens(pinned.pins).keys()].filter(
    (each) => each.toUpperCase() === symbol,
  );
  const terms = { ...stated, decimals: String(decimals) };
  const cash = cashTokens.map((each) =>
    against(terms, { subject: cashTokenSubject(each), name: each, pinned }),
  );
  return [...stock, ...cash];
}

const refusal = (name: string, why: string): SafetyError =>
  new SafetyError(
    `${name}: ${why}. Nothing was sent. If the venue confirms the change, accept it with ` +
      `\`drover release ${plainOr(name, 'NAME')} --accept-terms --reason TEXT\`, and correct venue.contracts`,
  );

/** @throws {SafetyError} for a contract other than the one confirmed by hand */
function requireConfirmed({ subject, name, pinned }: PinnedSubject, address: Address): void {
  const before = pinned.confirmed.get(subject);
  if (before === undefined || sameAddress(before.address, address)) return;
  throw new SafetyError(
    `${name}: its contract is ${before.address} in ${before.by}, but ${address} at the venue. Nothing was signed or sent. If the ` +
      `issuer confirms the change, remove "${subject}" from that file and confirm the new one`,
  );
}

/** Difference between the listed and the pinned terms of a stock, with both values; null when there is none. */
export function againstStock(rows: readonly ListedRow[], symbol: string, pinned: KnownPins): string | null {
  const row = rows.find((each) => each.symbol === symbol);
  if (!row || !isTicker(symbol)) return null;
  const others = rows.filter(
    (each) => each.symbol !== symbol && sameAddress(each.contractAddress, row.contractAddress),
  );
  const stated = stockTerms(instrumentOf(row, symbol));
  const why = against(stated, { subject: stockSubject(symbol), name: symbol, pinned });
  if (why !== null || others.length === 0) return why;
  return `${others.map((each) => each.symbol).join(', ')} has the same contract at the venue: ${row.contractAddress}`;
}

const instrumentOf = (row: ListedRow, symbol: Instrument['symbol']): Instrument => ({
  symbol,
  address: row.contractAddress,
  tradable: row.tradable,
  fractionable: row.fractionable,
  overnightTradable: row.overnightTradable ?? false,
  ...(row.decimals == null ? {} : { decimals: row.decimals }),
  ...(row.onChainDecimals == null ? {} : { onChainDecimals: row.onChainDecimals }),
});

type PinnedSubject = Readonly<{ subject: PinSubject; name: string; pinned: KnownPins }>;

function against(
  stated: PinTerms,
  { subject, name, pinned: { contracts, pins } }: PinnedSubject,
): string | null {
  const configured = contracts.get(name);
  const address = stated['address'] ?? '';
  if (configured !== undefined && !sameAddress(configured, address))
    return `its contract is ${configured} in venue.contracts, but ${address} at the venue`;
  const known = pins.of(subject);
  const changed = known ? departures(known, stated) : [];
  return changed.length === 0 ? null : describeDepartures(changed);
}

/** The first name of venue.contracts that the venue does not list, with a suggestion; null when it lists all. */
export function unlistedContracts(
  symbols: readonly string[],
  { contracts }: Pick<KnownPins, 'contracts'>,
): string | null {
  const unlisted = [...contracts.keys()].find((name) => !symbols.includes(name));
  if (unlisted === undefined) return null;
  const suggestion = suggest(unlisted, symbols);
  return `venue.contracts names ${unlisted}, which is not listed at this venue${suggestion === undefined ? '' : `. Did you mean ${suggestion}?`}`;
}
