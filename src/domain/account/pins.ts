import type { JournalEvent } from '../journalEvent.ts';
import { sameAddress, type Address, type Instrument, type Ticker } from '../instrument.ts';
import type { VenueTerms, AccountReport, StockHolding } from '../venue.ts';

/** Subject at the venue whose terms are kept as they were first seen. */
export type PinSubject = `stock ${string}` | `cash token ${string}` | 'fees' | 'One Click';
/** Terms of a subject by name, as text: an address, a number of decimals, a rate. */
export type PinTerms = Readonly<Record<string, string>>;
export type Pin = Readonly<{ subject: PinSubject; terms: PinTerms }>;

/** Term that the venue states differently from its pin. */
export type Departure = Readonly<{ term: string; pinned: string; stated: string }>;

type PinFact = Extract<JournalEvent, { kind: 'pinned' | 'departed' | 'instruments' }>;

export const ONE_CLICK = 'One Click';
export const FEES = 'fees';
/** Reason of pins that a person has confirmed before the venue had stated any to a run. */
export const BY_HAND = 'confirmed by hand';
export const cashTokenSubject = (symbol: string): PinSubject => `cash token ${symbol}`;
const PREFIX = cashTokenSubject('');
export const stockSubject = (symbol: Ticker): PinSubject => `stock ${symbol}`;

const PLAIN = /^[A-Za-z0-9][\w.-]*$/;

/**
 * Name that is safe in a command to copy: the venue chooses its symbols, so one that a shell could read as more than a word
 * is replaced by `otherwise`.
 */
export const plainOr = (name: string, otherwise: string): string => (PLAIN.test(name) ? name : otherwise);

/** Word for a subject in `drover release`: `USDC`, `fees`, `one-click`. */
export const releaseName = (subject: PinSubject): string => plainOr(subjectName(subject), 'NAME');

/** The same word as it is, for a command that no shell reads. */
export const subjectName = (subject: PinSubject): string =>
  subject.replace(/^(cash token|stock) /, '').replace(ONE_CLICK, 'one-click');

/** Terms of a stock that orders and amounts depend on. Decimals that the venue does not state are left out. */
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

/** Terms that differ. A term that only one side states is no difference. */
export function departures(pinned: PinTerms, stated: PinTerms): Departure[] {
  const found: Departure[] = [];
  for (const [term, value] of Object.entries(pinned)) {
    const now = stated[term];
    if (now !== undefined && !isSame(value, now)) found.push({ term, pinned: value, stated: now });
  }
  return found;
}

const isSame = (a: string, b: string): boolean => a === b || (a.startsWith('0x') && sameAddress(a, b));

/** Text with both values of each term: `address was 0x1, and the venue now says 0x2`. */
export const describeDepartures = (list: readonly Departure[]): string =>
  list
    .map(({ term, pinned, stated }) => `${term} was ${pinned}, and the venue now says ${stated}`)
    .join('; ');

/** Terms of the venue as they were first seen in a journal, or accepted by an operator since. */
export class Pins {
  readonly #terms = new Map<PinSubject, PinTerms>();
  /** Terms that the venue states at present instead of the pinned ones. */
  readonly #departed = new Map<PinSubject, PinTerms>();
  #isBegun = false;
  #areTokensStated = false;

  apply(fact: PinFact): void {
    switch (fact.kind) {
      case 'pinned':
        this.#isBegun = true;
        for (const { subject, terms } of fact.pins) {
          this.#terms.set(subject, terms);
          this.#departed.delete(subject);
          if (subject.startsWith(PREFIX) && fact.reason !== BY_HAND) this.#areTokensStated = true;
        }
        return;
      case 'departed':
        if (fact.terms) this.#departed.set(fact.subject, fact.terms);
        else this.#departed.delete(fact.subject);
        return;
      case 'instruments':
        return this.#learn(fact.instruments);
    }
  }

  /** True once the journal has pins of its own; from then on its instruments no longer serve as pins. */
  get isBegun(): boolean {
    return this.#isBegun;
  }

  /** True once cash tokens were pinned as the venue has stated them: one that it states later is new. */
  get areTokensStated(): boolean {
    return this.#areTokensStated;
  }

  of(subject: PinSubject): PinTerms | undefined {
    return this.#terms.get(subject);
  }

  departed(subject: PinSubject): PinTerms | undefined {
    return this.#departed.get(subject);
  }

  /** Subjects that the venue states differently from their pins. */
  get departedSubjects(): readonly PinSubject[] {
    return [...this.#departed.keys()];
  }

  /** Subjects that the venue states and that were never pinned. */
  get unpinned(): readonly PinSubject[] {
    return this.departedSubjects.filter((subject) => !this.#terms.has(subject));
  }

  get all(): ReadonlyMap<PinSubject, PinTerms> {
    return this.#terms;
  }

  /** Pinned contract of a stock. */
  contractOf(symbol: Ticker): Address | undefined {
    return this.of(stockSubject(symbol))?.['address'] as Address | undefined;
  }

  /** Learns the contract of a stock from a journal without pins: the first one that it recorded counts. */
  #learn(instruments: readonly Instrument[]): void {
    if (this.#isBegun) return;
    for (const instrument of instruments) {
      const { subject, terms } = stockPin(instrument);
      if (!this.#terms.has(subject)) this.#terms.set(subject, terms);
    }
  }
}

type CashToken = VenueTerms['cashTokens'][number];

/** Pinned cash tokens, by name: the symbol, or the address of one that has the symbol of another. */
export const pinnedCashTokens = (pins: Pins): ReadonlyMap<string, PinTerms> =>
  new Map(
    [...pins.all].flatMap(([subject, terms]) =>
      subject.startsWith(PREFIX) ? [[subject.slice(PREFIX.length), terms] as const] : [],
    ),
  );

/** Name under which a cash token's contract is pinned; null where it is not. */
export function cashTokenName(pins: Pins, token: Address): string | null {
  for (const [name, { address }] of pinnedCashTokens(pins))
    if (address !== undefined && sameAddress(address, token)) return name;
  return null;
}

/** True for a pinned cash token, and for every token where the venue has stated none. */
export const isCashToken = (pins: Pins, token: Address): boolean =>
  pinnedCashTokens(pins).size === 0 || cashTokenName(pins, token) !== null;

/** Reason why no cash token is moved now, because the terms of one have changed; null when none have. */
export function changedCashToken(pins: Pins): string | null {
  for (const [name, terms] of pinnedCashTokens(pins)) {
    const subject = cashTokenSubject(name);
    const stated = pins.departed(subject);
    if (stated) return `${subject}: ${describeDepartures(departures(terms, stated))}`;
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

/**
 * Account that counts only stock of the pinned contracts: rows of another contract are in `apart`. A row that
 * names no contract counts, and so does the first row of a stock without a pin.
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
