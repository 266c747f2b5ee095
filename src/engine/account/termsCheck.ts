import { scheduleOf } from '../../domain/fees.ts';
import { formatDecimal } from '../../core/amount.ts';
import { sameAddress, type Address, type Instrument, type Ticker } from '../../domain/instrument.ts';
import {
  departures,
  describeDepartures,
  stockPin,
  type Departure,
  type Pin,
  type PinTerms,
  countPinned,
  describeNewTerms,
  FEES,
  ONE_CLICK,
  releaseName,
  type PinSubject,
} from '../../domain/account/pins.ts';
import type { AccountReport, Listing, VenueTerms } from '../../domain/venue.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { FeeCheck } from '../risk/feeCheck.ts';
import { statedCashTokens } from '../../domain/account/pinBook.ts';

/** Listed terms of a stock that differ from the pinned ones. `owners`: other symbols with the new contract. */
type TermsChange = Readonly<{ departures: readonly Departure[]; pin: Pin; owners: readonly Ticker[] }>;

type ListedPin = Readonly<{ instrument: Instrument; pin: Pin }>;
type ContractCause = 'contract' | 'other contract';
type Owners = ReadonlyMap<string, readonly Ticker[]>;

/**
 * Compares listed stocks with their pins: the config's contracts, and the terms journaled when each stock was first
 * seen. A stock whose terms have changed is frozen and keeps its pinned contract.
 */
export class StockTermsCheck {
  readonly #context: EngineContext;
  /** Changed terms in the latest listing. */
  readonly #changes = new Map<Ticker, TermsChange>();
  readonly #shared = new Map<Ticker, string>();
  /** Stocks for which the latest account shows shares of another contract. */
  readonly #apart = new Set<Ticker>();

  constructor(context: EngineContext) {
    this.#context = context;
  }

  /** Pins new terms, freezes stocks whose terms have changed, and returns the listings with the pinned contracts. */
  list(listings: readonly Listing[]): readonly Listing[] {
    const owners = this.#owners(listings);
    const listed = listings.map(({ instrument }) => ({ instrument, pin: stockPin(instrument) }));
    const fresh = listed.flatMap((stock) => this.#fresh(stock, owners));
    if (fresh.length > 0 || !this.#context.accountState.pins.isBegun)
      this.#context.record({ kind: 'pinned', pins: fresh });
    for (const stock of listed) this.#compare(stock, owners);
    return listings.map((listing) => this.#withPinned(listing));
  }

  /** The contract of a stock in the config or the journal. */
  contractOf(symbol: Ticker): Address | undefined {
    return this.#context.rules.contracts?.get(symbol) ?? this.#context.accountState.pins.contractOf(symbol);
  }

  /** The account with only the stock of pinned contracts. */
  counted(account: AccountReport): AccountReport {
    return countPinned(account, (symbol) => this.contractOf(symbol));
  }

  /** Reports stock that does not count, and holds its symbol while the account shows it. */
  apart({ apart = [] }: AccountReport): void {
    const before = new Set(this.#apart);
    this.#apart.clear();
    for (const [symbol, { exchange, wallet, contract = 'none' }] of apart) {
      if (exchange === 0n && wallet === 0n) continue;
      this.#apart.add(symbol);
      const shown = `${formatDecimal(exchange + wallet)} ${symbol} of the contract ${contract}`;
      const why = `the account shows ${shown}, which are not counted: ${this.contractOf(symbol) ?? 'another row'} is the one that counts`;
      const stop = `. Nothing is sent for ${symbol} while the account shows them`;
      this.#hold('other contract', symbol, { why, stop });
    }
    for (const symbol of before)
      if (!this.#apart.has(symbol))
        this.#lift(
          'other contract',
          symbol,
          `the account shows ${symbol} of one contract again: orders on it continue`,
        );
  }

  /** Holds a symbol, and reports why and what follows. */
  #hold(cause: ContractCause, symbol: Ticker, { why, stop }: Readonly<{ why: string; stop: string }>): void {
    if (this.#context.holds.put(cause, why, symbol))
      this.#context.alarm(`${cause} ${symbol}`, `${why}${stop}`, { code: 'CONTRACT_DIFFERS', symbol });
  }

  #lift(cause: ContractCause, symbol: Ticker, text: string): void {
    if (this.#context.holds.lift(cause, symbol)) this.#context.allClear(`${cause} ${symbol}`, text);
  }

  /** The current change of a stock's terms; undefined if there is none. */
  changeOf(symbol: Ticker): TermsChange | undefined {
    return this.#changes.get(symbol);
  }

  /** Text on the stocks that share a contract with this one; undefined if there are none. */
  sharingOf(symbol: Ticker): string | undefined {
    return this.#shared.get(symbol);
  }

  /** Symbols by contract, in lower case: the pinned contract, or the listed one if none is pinned. */
  #owners(listings: readonly Listing[]): Owners {
    const owners = new Map<string, Ticker[]>();
    for (const { instrument } of listings) {
      const address = (this.contractOf(instrument.symbol) ?? instrument.address).toLowerCase();
      const known = owners.get(address);
      if (known) known.push(instrument.symbol);
      else owners.set(address, [instrument.symbol]);
    }
    return owners;
  }

  /** A pin for a stock without one, or a more complete one if the venue states more than before. */
  #fresh({ instrument, pin }: ListedPin, owners: Owners): Pin[] {
    const { symbol, address } = instrument;
    const known = this.#context.accountState.pins.of(pin.subject);
    if (known) {
      if (!statesMore(pin.terms, known) || departures(known, pin.terms).length > 0) return [];
      return [{ subject: pin.subject, terms: { ...pin.terms, ...known } }];
    }
    const configured = this.#context.rules.contracts?.get(symbol);
    const isRefused = configured !== undefined && !sameAddress(configured, address);
    return isRefused || this.#sharing(instrument, owners).length > 0 ? [] : [pin];
  }

  #compare({ instrument, pin }: ListedPin, owners: Owners): void {
    const { symbol } = instrument;
    this.#compareWithConfig(instrument);
    const known = this.#context.accountState.pins.of(pin.subject);
    const changed = known ? departures(known, pin.terms) : [];
    if (changed.length > 0) {
      const listed = owners.get(instrument.address.toLowerCase()) ?? [];
      const others = listed.filter((other) => other !== symbol);
      this.#changes.set(symbol, { departures: changed, pin, owners: others });
      return this.#context.freeze(symbol, describeDepartures(changed));
    }
    this.#changes.delete(symbol);
    const others = this.#sharing(instrument, owners);
    if (others.length === 0) return void this.#shared.delete(symbol);
    const why = sharedContract(others, instrument);
    this.#shared.set(symbol, why);
    this.#context.freeze(symbol, why);
  }

  /** Holds a symbol whose configured contract differs. It is not frozen, because the config must be corrected. */
  #compareWithConfig({ symbol, address }: Instrument): void {
    const configured = this.#context.rules.contracts?.get(symbol);
    if (configured === undefined || sameAddress(configured, address))
      return this.#lift(
        'contract',
        symbol,
        `the venue lists the contract of ${symbol} in venue.contracts again`,
      );
    const why = `the contract of ${symbol} is ${configured} in venue.contracts, and ${address} at the venue`;
    this.#hold('contract', symbol, { why, stop: `: nothing is sent for ${symbol}` });
  }

  /** Other symbols with the same contract; for a pinned stock, only those also pinned. */
  #sharing({ symbol, address }: Instrument, owners: Owners): readonly Ticker[] {
    const pinned = this.contractOf(symbol);
    const others = (owners.get((pinned ?? address).toLowerCase()) ?? []).filter((other) => other !== symbol);
    return pinned === undefined ? others : others.filter((other) => this.contractOf(other) !== undefined);
  }

  #withPinned(listing: Listing): Listing {
    const { instrument } = listing;
    const address = this.contractOf(instrument.symbol);
    if (address === undefined || sameAddress(address, instrument.address)) return listing;
    return { ...listing, instrument: { ...instrument, address } };
  }
}

const sharedContract = (others: readonly Ticker[], { address }: Instrument): string =>
  `${others.join(', ')} ${others.length > 1 ? 'have' : 'has'} the same contract at the venue: ${address}`;

const statesMore = (stated: PinTerms, pinned: PinTerms): boolean =>
  Object.keys(stated).some((term) => !(term in pinned));

/** Maximum number of unpinned cash tokens that are journaled and reported: nothing moves any of them. */
const NEWCOMERS_MAX = 20;

/**
 * Compares the delegatee of One Click, fees and cash tokens with their pins. Each change is reported with both values
 * and journaled, as is its end.
 */
export class VenueTermsCheck {
  readonly #context: EngineContext;
  readonly #feeCheck: FeeCheck;
  /** Changes reported by this process. */
  readonly #reported = new Map<PinSubject, string>();

  constructor(context: EngineContext) {
    this.#context = context;
    this.#feeCheck = new FeeCheck(context);
  }

  /** Counts One Click as off while the venue states another proxy wallet than the pin. The config accepts a new one. */
  delegatee(stated: string | undefined): void {
    if (stated === undefined) return;
    const { rules, accountState, holds } = this.#context;
    const configured = rules.delegatee;
    const pin: Pin = { subject: ONE_CLICK, terms: { delegatee: stated.toLowerCase() } };
    const known = accountState.pins.of(ONE_CLICK)?.['delegatee'];
    if (configured !== undefined && sameAddress(configured, stated) && !sameAddress(known ?? '', stated))
      this.#context.record({ kind: 'pinned', pins: [pin], reason: 'venue.delegatee' });
    const inConfig = configured === undefined ? undefined : { delegatee: configured.toLowerCase() };
    const why = this.#follow(pin, inConfig);
    if (why === null) return void holds.lift('delegatee');
    holds.put('delegatee', `One Click counts as off: ${why}`);
    this.#alarm(pin.subject, `${why}: One Click counts as off, and nothing is sent`);
  }

  terms({ fees, cashTokens }: VenueTerms): void {
    if (fees) this.#fees(fees);
    this.#context.reads.cashTokens = new Map(cashTokens.map((token) => [token.address.toLowerCase(), token]));
    const { pins } = this.#context.accountState;
    const isFirst = !pins.areTokensStated;
    for (const pin of statedCashTokens(cashTokens, pins)) {
      const { subject, terms } = pin;
      const known = pins.of(subject);
      if (!isFirst && !known) {
        this.#newCashToken(pin);
        continue;
      }
      const why = this.#follow(pin);
      if (why !== null)
        this.#alarm(subject, `${subject}: ${why}: the treasury moves nothing until ${acceptance(subject)}`);
      else if (known && (isFirst || statesMore(terms, known)))
        this.#context.record({ kind: 'pinned', pins: [{ subject, terms: { ...terms, ...known } }] });
    }
  }

  /** Reports a new cash token besides the pinned ones: nothing moves it before an operator accepts it. */
  #newCashToken({ subject, terms }: Pin): void {
    const { pins } = this.#context.accountState;
    if (!pins.departed(subject) && pins.unpinned.length >= NEWCOMERS_MAX) return;
    this.#depart({ subject, terms });
    const text = `${describeNewTerms(subject, terms)}: nothing moves it until ${acceptance(subject)}`;
    this.#alarm(subject, text);
  }

  #fees(stated: Readonly<Record<string, number>>): void {
    const terms = Object.fromEntries(Object.entries(stated).map(([name, bps]) => [name, String(bps)]));
    const why = this.#follow({ subject: FEES, terms });
    if (why !== null) this.#alarm(FEES, `fees: ${why}: reserves are made for the larger`);
    this.#feeCheck.stated(scheduleOf(terms));
  }

  /** Difference of the venue from the pin (or from `configured`); null if there is none. Pins new terms. */
  #follow({ subject, terms }: Pin, configured?: PinTerms): string | null {
    const { pins } = this.#context.accountState;
    const known = configured ?? pins.of(subject);
    if (!known) {
      this.#context.record({ kind: 'pinned', pins: [{ subject, terms }] });
      return null;
    }
    const changed = departures(known, terms);
    const before = pins.departed(subject);
    if (changed.length > 0) {
      this.#depart({ subject, terms });
      return describeDepartures(changed);
    }
    if (!before) return null;
    this.#context.record({ kind: 'departed', subject, terms: null });
    this.#reported.delete(subject);
    this.#context.allClear(`terms ${subject}`, `${subject}: the venue states the pinned terms again`);
    return null;
  }

  /** Journals terms that differ from the pinned ones, once. */
  #depart({ subject, terms }: Pin): void {
    const before = this.#context.accountState.pins.departed(subject);
    if (!before || !isSame(before, terms)) this.#context.record({ kind: 'departed', subject, terms });
  }

  #alarm(subject: PinSubject, text: string): void {
    const about = `terms ${subject}`;
    if (this.#reported.get(subject) === text && this.#context.raised.has(about)) return;
    this.#reported.set(subject, text);
    this.#context.alarm(about, text, { code: 'TERMS_CHANGED' });
  }
}

const acceptance = (subject: PinSubject): string =>
  `\`drover release ${releaseName(subject)} --accept-terms\` accepts it`;

const isSame = (a: PinTerms, b: PinTerms): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([term, value]) => b[term] === value);
