import { sameAddress, type Address, type Instrument, type Ticker } from '../instrument.ts';
import type { AccountReport, StockHolding } from '../venue.ts';

/** Subject at the venue whose terms are pinned as first seen. */
export type PinSubject = `stock ${string}` | `cash token ${string}` | 'fees' | 'One Click';
/** Terms of a subject by name, as text: an address, a number of decimals, a rate. */
export type PinTerms = Readonly<Record<string, string>>;
export type Pin = Readonly<{ subject: PinSubject; terms: PinTerms }>;

/** A term that the venue states differently from its pin. */
export type Departure = Readonly<{ term: string; pinned: string; stated: string }>;

export const ONE_CLICK = 'One Click';
export const FEES = 'fees';
/** Reason of pins that a person confirmed before the venue had stated any to a run. */
export const BY_HAND = 'confirmed by hand';
export const cashTokenSubject = (symbol: string): PinSubject => `cash token ${symbol}`;
export const stockSubject = (symbol: Ticker): PinSubject => `stock ${symbol}`;

const PLAIN = /^[A-Za-z0-9][\w.-]*$/;

/**
 * Name that is safe in a command to copy: the venue chooses its symbols, so one that a shell could read as more than a
 * word is replaced by `otherwise`.
 */
export const plainOr = (name: string, otherwise: string): string => (PLAIN.test(name) ? name : otherwise);

/** Name of a subject in `drover release`: `USDC`, `fees`, `one-click`. */
export const releaseName = (subject: PinSubject): string => plainOr(subjectName(subject), 'NAME');

/** The same name unescaped, for a command that no shell reads. */
export const subjectName = (subject: PinSubject): string =>
  subject.replace(/^(cash token|stock) /, '').replace(ONE_CLICK, 'one-click');

/** Terms of a stock that orders and amounts depend on. Decimals not stated by the venue are left out. */
export function stockTerms({ address, decimals, onChainDecimals, fractionable }: Instrument): PinTerms {
  return {
    address: address.toLowerCase(),
    ...(decimals === undefined ? {} : { decimals: String(decimals) }),
    ...(onChainDecimals === undefined ? {} : { 'on-chain decimals': String(onChainDecimals) }),
    step: fractionable ? 'a fraction of a share' : 'a whole share',
  };
}

export const stockPin = (instrument: Instrument): Pin => ({
  subject: stockSubject(instrument.symbol),
  terms: stockTerms(instrument),
});

/** Terms that differ. A term stated by only one side is not a difference. */
export function departures(pinned: PinTerms, stated: PinTerms): Departure[] {
  const found: Departure[] = [];
  for (const [term, value] of Object.entries(pinned)) {
    const now = stated[term];
    if (now !== undefined && !isSame(value, now)) found.push({ term, pinned: value, stated: now });
  }
  return found;
}

const isSame = (a: string, b: string): boolean => a === b || (a.startsWith('0x') && sameAddress(a, b));

/** Text with both values of each term, such as `address was 0x1, and the venue now says 0x2`. */
export const describeDepartures = (list: readonly Departure[]): string =>
  list
    .map(({ term, pinned, stated }) => `${term} was ${pinned}, and the venue now says ${stated}`)
    .join('; ');

/** Text such as `cash token USDX is new at the venue (address 0x1, decimals 6)`. */
export const describeNewTerms = (subject: PinSubject, terms: PinTerms): string =>
  `${subject} is new at the venue (${Object.entries(terms)
    .map(([term, value]) => `${term} ${value}`)
    .join(', ')})`;

/**
 * Account that counts only stock of the pinned contracts: rows of another contract are in `apart`. A row without a
 * contract counts, and so does the first row of a stock without a pin.
 */
export function countPinned(
  account: AccountReport,
  contractOf: (symbol: Ticker) => Address | undefined,
): AccountReport {
  const holdings = new Map<Ticker, StockHolding>();
  const apart: (readonly [Ticker, StockHolding])[] = [];
  for (const [symbol, holding] of [...account.holdings, ...(account.apart ?? [])]) {
    const pinned = contractOf(symbol);
    const { contract } = holding;
    const isPinned = pinned === undefined || contract === undefined || sameAddress(contract, pinned);
    if (isPinned && !holdings.has(symbol)) holdings.set(symbol, holding);
    else apart.push([symbol, holding]);
  }
  const { apart: _, ...rest } = account;
  return apart.length === 0 ? { ...rest, holdings } : { ...rest, holdings, apart };
}
