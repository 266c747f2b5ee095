import { sameAddress, type Address } from './instrument.ts';
import {
  cashTokenSubject,
  departures,
  describeDepartures,
  type Pin,
  type Pins,
  type PinSubject,
  type PinTerms,
} from './pins.ts';
import type { VenueTerms } from './venue.ts';

type CashToken = VenueTerms['cashTokens'][number];

const PREFIX = cashTokenSubject('');

/** The pinned cash tokens, by name: the symbol, or the address of one that has the symbol of another. */
export const pinnedCashTokens = (pins: Pins): ReadonlyMap<string, PinTerms> =>
  new Map(
    [...pins.all].flatMap(([subject, terms]) =>
      subject.startsWith(PREFIX) ? [[subject.slice(PREFIX.length), terms] as const] : [],
    ),
  );

/** The name under which a cash token's contract is pinned; null where it is not. */
export function cashTokenName(pins: Pins, token: Address): string | null {
  for (const [name, { address }] of pinnedCashTokens(pins))
    if (address !== undefined && sameAddress(address, token)) return name;
  return null;
}

/** True for one of the pinned cash tokens, and for any token where the venue has stated none. */
export const isCashToken = (pins: Pins, token: Address): boolean =>
  pinnedCashTokens(pins).size === 0 || cashTokenName(pins, token) !== null;

/** Reason why no cash token is moved now: the terms of one have changed; null when none have. */
export function changedCashToken(pins: Pins): string | null {
  for (const [name, terms] of pinnedCashTokens(pins)) {
    const subject = cashTokenSubject(name);
    const told = pins.departed(subject);
    if (told) return `${subject}: ${describeDepartures(departures(terms, told))}`;
  }
  return null;
}

/**
 * Terms of the cash tokens that the venue states, by name. Of several with one symbol the one with the pinned contract has the
 * symbol for a name, or else the first; the others go by their address.
 */
export function statedCashTokens(tokens: readonly CashToken[], pins: Pins): Pin[] {
  const isPinned = ({ symbol, address }: CashToken) => {
    const known = pins.of(cashTokenSubject(symbol))?.['address'];
    return known !== undefined && sameAddress(known, address);
  };
  const named = new Set<PinSubject>();
  return [...tokens.filter(isPinned), ...tokens.filter((token) => !isPinned(token))].map((token) => {
    const { symbol, decimals } = token;
    const address = token.address.toLowerCase();
    const bySymbol = cashTokenSubject(symbol);
    const subject = named.has(bySymbol) ? cashTokenSubject(address) : bySymbol;
    named.add(subject);
    return { subject, terms: { address, ...(decimals === null ? {} : { decimals: String(decimals) }) } };
  });
}

/** `cash token USDX is new at the venue (address 0x1, decimals 6)`. */
export const describeNewTerms = (subject: PinSubject, terms: PinTerms): string =>
  `${subject} is new at the venue (${Object.entries(terms)
    .map(([term, value]) => `${term} ${value}`)
    .join(', ')})`;
