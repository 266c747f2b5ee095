import type { JournalEventOf } from '../journalEvent.ts';
import type { VenueTerms } from '../venue.ts';
import { type Address, type Instrument, type Ticker, sameAddress } from '../instrument.ts';
import {
  type PinSubject,
  type PinTerms,
  BY_HAND,
  stockSubject,
  stockPin,
  type Pin,
  cashTokenSubject,
  departures,
  describeDepartures,
} from './pins.ts';

const PREFIX = cashTokenSubject('');
type CashToken = VenueTerms['cashTokens'][number];

/** Terms of the venue as first seen in a journal, or accepted by an operator since. */
export class Pins {
  readonly all = new Map<PinSubject, PinTerms>();
  /** Terms that the venue currently states in place of the pinned ones. */
  private readonly departures = new Map<PinSubject, PinTerms>();
  /** True once the journal has pins of its own; from then on, its instruments no longer serve as pins. */
  readonly isBegun: boolean = false;
  /** True once cash tokens were pinned as the venue stated them: any stated later is new. */
  readonly areTokensStated: boolean = false;

  apply(fact: JournalEventOf<'pinned' | 'departed' | 'instruments'>): void {
    switch (fact.kind) {
      case 'pinned':
        (this as { isBegun: boolean }).isBegun = true;
        for (const { subject, terms } of fact.pins) {
          this.all.set(subject, terms);
          this.departures.delete(subject);
          if (subject.startsWith(PREFIX) && fact.reason !== BY_HAND)
            (this as { areTokensStated: boolean }).areTokensStated = true;
        }
        return;
      case 'departed':
        if (fact.terms) this.departures.set(fact.subject, fact.terms);
        else this.departures.delete(fact.subject);
        return;
      case 'instruments':
        return this.#learn(fact.instruments);
    }
  }

  of(subject: PinSubject): PinTerms | undefined {
    return this.all.get(subject);
  }

  departed(subject: PinSubject): PinTerms | undefined {
    return this.departures.get(subject);
  }

  /** Subjects whose terms the venue states differently from their pins. */
  get departedSubjects(): readonly PinSubject[] {
    return [...this.departures.keys()];
  }

  /** Subjects stated by the venue and never pinned. */
  get unpinned(): readonly PinSubject[] {
    return this.departedSubjects.filter((subject) => !this.all.has(subject));
  }

  contractOf(symbol: Ticker): Address | undefined {
    return this.of(stockSubject(symbol))?.['address'] as Address | undefined;
  }

  /** Takes the contract of a stock from a journal without pins: the first recorded one counts. */
  #learn(instruments: readonly Instrument[]): void {
    if (this.isBegun) return;
    for (const instrument of instruments) {
      const { subject, terms } = stockPin(instrument);
      if (!this.all.has(subject)) this.all.set(subject, terms);
    }
  }
}

/** Pinned cash tokens by name: the symbol, or the address if the symbol belongs to another. */
export const pinnedCashTokens = (pins: Pins): ReadonlyMap<string, PinTerms> =>
  new Map(
    [...pins.all].flatMap(([subject, terms]) =>
      subject.startsWith(PREFIX) ? [[subject.slice(PREFIX.length), terms] as const] : [],
    ),
  );

/** Name under which a cash token's contract is pinned; null if it is not pinned. */
export function cashTokenName(pins: Pins, token: Address): string | null {
  for (const [name, { address }] of pinnedCashTokens(pins))
    if (address !== undefined && sameAddress(address, token)) return name;
  return null;
}

/** True for a pinned cash token, and for every token if the venue has stated none. */
export const isCashToken = (pins: Pins, token: Address): boolean =>
  pinnedCashTokens(pins).size === 0 || cashTokenName(pins, token) !== null;

/** Reason not to move cash tokens, because the terms of one have changed; null if none have. */
export function changedCashToken(pins: Pins): string | null {
  for (const [name, terms] of pinnedCashTokens(pins)) {
    const subject = cashTokenSubject(name);
    const stated = pins.departed(subject);
    if (stated) return `${subject}: ${describeDepartures(departures(terms, stated))}`;
  }
  return null;
}

/**
 * Terms of the cash tokens that the venue states, by name. Among several with one symbol, the one with the pinned
 * contract (or else the first) is named by the symbol; the others by their address.
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
