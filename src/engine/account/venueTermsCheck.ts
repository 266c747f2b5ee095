import {
  describeNewTerms,
  pinnedCashTokens,
  statedCashTokens,
  departures,
  describeDepartures,
  FEES,
  ONE_CLICK,
  releaseName,
  type Pin,
  type PinSubject,
  type PinTerms,
} from '../../domain/account/pins.ts';
import { sameAddress } from '../../domain/instrument.ts';
import type { VenueTerms } from '../../domain/venue.ts';
import { type EngineContext, scheduleOf } from '../state/engineContext.ts';
import { FeeCheck } from '../risk/feeCheck.ts';

/** Most cash tokens without a pin that are journaled and reported: nothing moves any of them. */
const NEWCOMERS_MAX = 20;

/**
 * Compares the delegatee of One Click, fees and cash tokens with their pins. Each change is reported with both values and
 * journaled, and so is its end.
 */
export class VenueTermsCheck {
  readonly #context: EngineContext;
  readonly #feeCheck: FeeCheck;
  /** Changes that this process has reported. */
  readonly #told = new Map<PinSubject, string>();

  constructor(context: EngineContext) {
    this.#context = context;
    this.#feeCheck = new FeeCheck(context);
  }

  /** Counts One Click as off while the venue names another proxy wallet than the pinned one. The config accepts a new one. */
  delegatee(told: string | undefined): void {
    if (told === undefined) return;
    const { rules, accountState, holds } = this.#context;
    const configured = rules.delegatee;
    const pin: Pin = { subject: ONE_CLICK, terms: { delegatee: told.toLowerCase() } };
    const known = accountState.pins.of(ONE_CLICK)?.['delegatee'];
    if (configured !== undefined && sameAddress(configured, told) && !sameAddress(known ?? '', told))
      this.#context.record({ kind: 'pinned', pins: [pin], reason: 'venue.delegatee' });
    const inConfig = configured === undefined ? undefined : { delegatee: configured.toLowerCase() };
    const why = this.#follow(pin, inConfig);
    if (why === null) return void holds.lift('delegatee');
    holds.put('delegatee', `One Click counts as off: ${why}`);
    this.#alarm(pin.subject, `${why}: One Click counts as off, and nothing is sent`);
  }

  terms({ fees, cashTokens }: VenueTerms): void {
    if (fees) this.#fees(fees);
    const { pins } = this.#context.accountState;
    const isFirst = pinnedCashTokens(pins).size === 0;
    for (const pin of statedCashTokens(cashTokens, pins)) {
      const { subject } = pin;
      if (!isFirst && !pins.of(subject)) {
        this.#newCashToken(pin);
        continue;
      }
      const why = this.#follow(pin);
      if (why !== null)
        this.#alarm(subject, `${subject}: ${why}: the treasury moves nothing until ${acceptance(subject)}`);
    }
  }

  /** A cash token that is stated for the first time beside pinned ones: nothing moves it before an operator accepts it. */
  #newCashToken({ subject, terms }: Pin): void {
    const { pins } = this.#context.accountState;
    const before = pins.departed(subject);
    if (!before && pins.unpinned.length >= NEWCOMERS_MAX) return;
    if (!before || !isSame(before, terms)) this.#context.record({ kind: 'departed', subject, terms });
    const text = `${describeNewTerms(subject, terms)}: nothing moves it until ${acceptance(subject)}`;
    this.#alarm(subject, text);
  }

  #fees(told: Readonly<Record<string, number>>): void {
    const terms = Object.fromEntries(Object.entries(told).map(([name, bps]) => [name, String(bps)]));
    const why = this.#follow({ subject: FEES, terms });
    if (why !== null) this.#alarm(FEES, `fees: ${why}: reserves are made for the larger`);
    this.#feeCheck.stated(scheduleOf(terms));
  }

  /** Difference between the venue and the pin, or `configured` instead of it; null when there is none. Pins what is new. */
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
      if (!before || !isSame(before, terms)) this.#context.record({ kind: 'departed', subject, terms });
      return describeDepartures(changed);
    }
    if (!before) return null;
    this.#context.record({ kind: 'departed', subject, terms: null });
    this.#told.delete(subject);
    this.#context.notify('clear', `${subject}: the venue states the pinned terms again`);
    return null;
  }

  #alarm(subject: PinSubject, text: string): void {
    if (this.#told.get(subject) === text) return;
    this.#told.set(subject, text);
    this.#context.notify('alarm', text);
  }
}

const acceptance = (subject: PinSubject): string =>
  `\`drover release ${releaseName(subject)} --accept-terms\` accepts it`;

const isSame = (a: PinTerms, b: PinTerms): boolean =>
  Object.keys(a).length === Object.keys(b).length &&
  Object.entries(a).every(([term, value]) => b[term] === value);
