import { ConfigError, SafetyError } from '../../core/errors.ts';
import { isTicker, sameAddress, ticker, type Address, type Instrument } from '../../domain/instrument.ts';
import {
  cashTokenSubject,
  departures,
  describeDepartures,
  stockSubject,
  stockTerms,
  type PinSubject,
  type PinTerms,
} from '../../domain/pins.ts';
import { pinnedOf, type Pinned } from '../run/pins.ts';
import { suggest } from '../suggest.ts';
import type { Account } from './account.ts';
import { cashTokenOf, readableOf, stockIn, type ListedRow, type Stock, type VenueTerms } from './market.ts';

/**
 * A listed stock whose contract is the pinned one.
 * @throws {ConfigError} for a stock that is not listed, or when venue.contracts names one that is not
 * @throws {SafetyError} when its terms are not the pinned ones, or another stock has its contract
 */
export async function stockOf(
  { client, loaded }: Pick<Account, 'client' | 'loaded'>,
  text: string,
): Promise<Stock> {
  const rows = readableOf(await client.symbols());
  const stock = stockIn(rows, text);
  const pinned = pinnedOf(loaded);
  const unlisted = unlistedContracts(rows, pinned);
  if (unlisted !== null) throw new ConfigError(`${unlisted}. Nothing was sent`);
  const why = againstStock(rows, stock.symbol, pinned);
  if (why !== null) throw refusal(stock.symbol, why);
  return stock;
}

/** The named cash token, with the pinned contract and decimals. @throws {SafetyError} when they have changed */
export function pinnedCashToken(
  terms: VenueTerms,
  { loaded }: Pick<Account, 'loaded'>,
  wanted?: string,
): ReturnType<typeof cashTokenOf> {
  const found = cashTokenOf(terms, wanted);
  const { symbol, address, decimals } = found.token;
  const told = { address: address.toLowerCase(), decimals: String(decimals) };
  const why = against(told, { subject: cashTokenSubject(symbol), name: symbol, pinned: pinnedOf(loaded) });
  if (why !== null) throw refusal(symbol, why);
  return found;
}

type NamedToken = Readonly<{ symbol: string; address: Address; decimals: number; isStock: boolean }>;

/**
 * Holds a token of the wallet against its pin, where a person has named it otherwise than by its address.
 * @throws {SafetyError} when it is another
 */
export function requirePinnedToken(
  { symbol, address, decimals, isStock }: NamedToken,
  wanted: string,
  { loaded }: Pick<Account, 'loaded'>,
): void {
  if (sameAddress(wanted, address)) return;
  const subject = isStock ? stockSubject(ticker(symbol)) : cashTokenSubject(symbol);
  const told = { address: address.toLowerCase(), ...(isStock ? {} : { decimals: String(decimals) }) };
  const why = against(told, { subject, name: symbol, pinned: pinnedOf(loaded) });
  if (why !== null) throw refusal(symbol, why);
}

const refusal = (name: string, why: string): SafetyError =>
  new SafetyError(
    `${name}: ${why}. Nothing was sent. If the venue confirms the change, accept it with ` +
      `\`drover release ${name} --accept-terms --reason TEXT\`, and correct venue.contracts`,
  );

/** Difference between the listed and the pinned terms of a stock, with both values; null when there is none. */
export function againstStock(rows: readonly ListedRow[], symbol: string, pinned: Pinned): string | null {
  const row = rows.find((each) => each.symbol === symbol);
  if (!row || !isTicker(symbol)) return null;
  const others = rows.filter(
    (each) => each.symbol !== symbol && sameAddress(each.contractAddress, row.contractAddress),
  );
  const told = stockTerms(instrumentOf(row, symbol));
  const why = against(told, { subject: stockSubject(symbol), name: symbol, pinned });
  if (why !== null || others.length === 0) return why;
  return `${others.map((each) => each.symbol).join(', ')} has the same contract at the venue: ${row.contractAddress}`;
}

const instrumentOf = (row: ListedRow, symbol: Instrument['symbol']): Instrument => ({
  ...{ symbol, address: row.contractAddress, tradable: row.tradable, fractionable: row.fractionable },
  overnightTradable: row.overnightTradable ?? false,
  ...(row.decimals == null ? {} : { decimals: row.decimals }),
  ...(row.onChainDecimals == null ? {} : { onChainDecimals: row.onChainDecimals }),
});

type Known = Readonly<{ subject: PinSubject; name: string; pinned: Pinned }>;

function against(told: PinTerms, { subject, name, pinned: { contracts, pins } }: Known): string | null {
  const configured = contracts.get(name);
  const address = told['address'] ?? '';
  if (configured !== undefined && !sameAddress(configured, address))
    return `its contract is ${configured} in venue.contracts, and ${address} at the venue`;
  const known = pins.of(subject);
  const changed = known ? departures(known, told) : [];
  return changed.length === 0 ? null : describeDepartures(changed);
}

/** The first name of venue.contracts that the venue does not list, with what was probably meant; null when it lists all. */
export function unlistedContracts(rows: readonly ListedRow[], { contracts }: Pinned): string | null {
  const symbols = rows.map(({ symbol }) => symbol);
  const unlisted = [...contracts.keys()].find((name) => !symbols.includes(name));
  if (unlisted === undefined) return null;
  const meant = suggest(unlisted, symbols);
  return `venue.contracts names ${unlisted}, which is not listed at this venue${meant === undefined ? '' : `. Did you mean ${meant}?`}`;
}
