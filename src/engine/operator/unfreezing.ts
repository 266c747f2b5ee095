import { DIFFERENCE, isSettlementShown } from '../../domain/account/freezes.ts';
import {
  cashTokenSubject,
  departures,
  describeDepartures,
  describeNewTerms,
  type Departure,
  type PinSubject,
} from '../../domain/account/pins.ts';
import { isTicker, type Ticker } from '../../domain/instrument.ts';
import type { JournalEventOf } from '../../domain/journalEvent.ts';
import type { CommandOf } from '../../domain/operator/command.ts';
import type { StockTermsCheck } from '../account/termsCheck.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { type Decision, type Evidence, Refused, refuseDifferences } from './decision.ts';
import type { CommandId } from '../../domain/operator/restriction.ts';
import type { Pins } from '../../domain/account/pinBook.ts';

type Command = CommandOf<'unfreeze'>;
type Unfreeze = Command & Readonly<{ reason: string }>;
type Parts = Readonly<{ context: EngineContext; stockTerms: StockTermsCheck }>;

/**
 * Unfreezes a symbol once ledger and venue agree on it, or accepts changed terms of the venue. An unbooked settlement
 * is booked afterwards: until then, ledger and venue may differ by it.
 * @throws {Refused} while they differ, or if new terms have not been accepted
 */
export function unfreeze(parts: Parts, command: Unfreeze, { mismatches }: Evidence): Decision {
  const { freezes, frozen, pins } = parts.context.accountState;
  const other = departedSubject(command.subject, pins);
  if (other) return acceptTerms(pins, other, command);
  const { reason } = command;
  const symbol = command.subject.toUpperCase();
  const why = isTicker(symbol) ? frozen.get(symbol) : undefined;
  if (!isTicker(symbol) || why === undefined)
    throw new Refused(
      'usage',
      `${symbol} is not frozen${frozen.size ? `: ${[...frozen.keys()].join(', ')} are` : ''}`,
    );
  const causes = freezes.causes(symbol);
  const [shown, ...alsoShown] = causes.flatMap((cause) => cause.shown ?? []);
  const isUnbooked = [shown, ...alsoShown].some(isSettlementShown);
  refuseDifferences(
    mismatches.filter(({ asset, explainable }) => asset === symbol && !(explainable && isUnbooked)),
  );
  const pinned = acceptedTerms(parts.stockTerms, symbol, command);
  const terms = pinned[0]?.pins[0]?.terms;
  const further = alsoShown.length > 0 ? { alsoShown } : {};
  const reports = shown === undefined ? {} : { shown, ...further };
  return {
    text: `${symbol} is no longer frozen; it was: ${causes.map((cause) => cause.shown ?? cause.why).join('; also: ')}`,
    result: { symbol, why, shown: null, ...reports, reason, released: true, ...(terms ? { terms } : {}) },
    events: [...pinned, { kind: 'released', symbol, reason, ...reports }],
  };
}

/**
 * Refuses to unfreeze a symbol that was frozen again after the command, by an operator or for another cause: the
 * command did not decide on that. Differences and changed terms are checked by the decision itself.
 * @throws {Refused}
 */
export function refuseRefrozen({ context, stockTerms }: Parts, id: CommandId, { subject }: Command): void {
  const { commands, freezes } = context.accountState;
  const symbol = subject.toUpperCase();
  if (!isTicker(symbol)) return;
  const all = commands.all.map(({ request }) => request);
  const later = all
    .slice(all.findIndex((request) => request.id === id) + 1)
    .find(({ command }) => command.kind === 'freeze' && command.symbol === symbol);
  const before = commands.of(id)?.freezes ?? Infinity;
  const change = stockTerms.changeOf(symbol);
  const decided = [DIFFERENCE, change && describeDepartures(change.departures)];
  const cause = freezes.causes(symbol).find(({ number, why }) => number > before && !decided.includes(why));
  if (!later && !cause) return;
  const why = later ? `, by ${later.by}: ${later.reason}` : `: ${cause?.why ?? ''}`;
  throw new Refused(
    'safety',
    `${symbol} stays frozen: it was frozen after this command${why}. Nothing was changed`,
  );
}

/** Subject of changed terms other than a stock's: `fees`, `one-click`, or a cash token; null for any other text. */
function departedSubject(text: string, pins: Pins): PinSubject | null {
  const name = text.toLowerCase();
  for (const subject of [...pins.all.keys(), ...pins.unpinned]) {
    const isMeant = subject.toLowerCase().replace(' ', '-') === name || subject === cashTokenSubject(text);
    if (isMeant && pins.departed(subject)) return subject;
  }
  return null;
}

/** Accepts the venue's terms in place of a pin other than a stock's. @throws {Refused} unless the command accepts them */
function acceptTerms(
  pins: Pins,
  subject: PinSubject,
  { acceptTerms: isAccepted, reason }: Unfreeze,
): Decision {
  const [pinned, terms = {}] = [pins.of(subject), pins.departed(subject)];
  const changed = departures(pinned ?? {}, terms);
  const what = pinned ? `${subject}: ${describeDepartures(changed)}` : describeNewTerms(subject, terms);
  if (isAccepted !== true)
    throw new Refused('safety', `${what}. To accept that, repeat with --accept-terms`, {
      what: `Accept the new terms: ${subject}`,
      facts: pinned ? changeLines(changed) : Object.entries(terms),
    });
  return {
    text: `${subject}: the new terms are accepted`,
    result: { subject, terms, reason, released: true },
    events: [{ kind: 'pinned', pins: [{ subject, terms: { ...pinned, ...terms } }], reason }],
  };
}

const changeLines = (changed: readonly Departure[]): (readonly [string, string])[] =>
  changed.map(({ term, pinned, stated }) => [term, `${pinned} becomes ${stated}`]);

/**
 * The pin of the venue's listed terms in place of the pinned ones; none if they are the same.
 * @throws {Refused} unless the command accepts them, or if another stock has the new contract
 */
function acceptedTerms(
  stockTerms: StockTermsCheck,
  symbol: Ticker,
  { acceptTerms: isAccepted, reason }: Unfreeze,
): JournalEventOf<'pinned'>[] {
  const shared = stockTerms.sharingOf(symbol);
  if (shared !== undefined) throw new Refused('safety', `${symbol} stays frozen: ${shared}. Ask the venue`);
  const change = stockTerms.changeOf(symbol);
  if (!change) return [];
  const both = describeDepartures(change.departures);
  if (change.owners.length > 0)
    throw new Refused(
      'safety',
      `${symbol} stays frozen: ${both}, and that is the contract of ${change.owners.join(', ')}. Ask the venue`,
    );
  if (isAccepted !== true)
    throw new Refused(
      'safety',
      `${symbol} stays frozen: ${both}. Ask the venue why. To accept that, repeat with --accept-terms`,
      { what: `Accept the new terms of ${symbol}`, facts: changeLines(change.departures) },
    );
  return [{ kind: 'pinned', pins: [change.pin], reason }];
}
