import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import type { VenueClient } from '../../../api/client.ts';
import { createVenue } from '../../../api/venue.ts';
import { notionalOf, shares, type Price, type Shares } from '../../../core/amount.ts';
import { DAY_MS, epochMs, type EpochMs } from '../../../core/brand.ts';
import { atVenueFault, closing, ConfigError } from '../../../core/errors.ts';
import { AccountState } from '../../../domain/account/accountState.ts';
import { amountOf, entitlementOf, paymentsMakingUp } from '../../../domain/account/actionBook.ts';
import { ACCOUNT_KINDS } from '../../../domain/account/history.ts';
import { moneyText, sharesText } from '../../../domain/amountText.ts';
import {
  actionId,
  isOfSameEvent,
  describeAction,
  isWorth,
  wayOf,
  type CorporateAction,
  type DividendRules,
  type DividendWay,
  type Entitlement,
  type Payment,
} from '../../../domain/corporateAction.ts';
import type { Ticker } from '../../../domain/instrument.ts';
import type { JournalEntry, JournalEventOf } from '../../../domain/journalEvent.ts';
import { exDateBegins } from '../../../sim/dayEnd.ts';
import { readJournal } from '../../../store/readJournal.ts';
import { calendarOf } from '../../config/fields.ts';
import type { LoadedConfig } from '../../config/load.ts';
import { dividendsOf } from '../../config/stocks.ts';
import { journalFile, modeOf } from '../../environment/ownership.ts';
import type { TradingCalendar } from '../../../calendar/index.ts';
import { asAssumed, differs, unchecked, type AssumptionResult } from '../finding.ts';

const ENTRY = 'dividends';

/** Outcome of a payment on shares that were held. `way`: how it arrived, null while unproven. */
export type DividendSighting = Readonly<{ action: Payment; way: DividendWay | null; text: string }>;

export type SightingInput = Readonly<{
  /** Actions that the venue lists; dividends that only change the price are in no journal. */
  announced: readonly CorporateAction[];
  rules: DividendRules;
  calendar: TradingCalendar;
  /** Latest price of a stock at or before an instant; null if unknown. */
  priceAt: (symbol: Ticker, at: EpochMs) => Price | null;
}>;

/** Entry kinds that show payments; `session` shows until when the run was watching. */
const KINDS = [...ACCOUNT_KINDS, 'difference', 'session'] as const;

/**
 * Outcomes, proven by a journal, of payments on shares that the account held, by ex-date: payments that a run booked, and
 * differences of exactly the cash due, or of shares worth it.
 */
export function sightingsIn(entries: Iterable<JournalEntry>, input: SightingInput): DividendSighting[] {
  const { announced, rules, calendar } = input;
  const account = new AccountState();
  const [due, seen] = [new Map<string, Entitlement>(), new Map<string, DividendSighting>()];
  const begins = ({ exDate }: CorporateAction) => exDateBegins(calendar, exDate, rules);
  const coming = announced.filter(({ kind }) => kind === 'payment').sort((a, b) => begins(a) - begins(b));
  let last = epochMs(0);
  for (const entry of entries) {
    for (; coming[0] && begins(coming[0]) <= entry.at; coming.shift())
      for (const held of heldFor(account, coming[0], input)) due.set(actionId(held.action), held);
    for (const one of seenIn(entry, { account, due, input }))
      if (one.way !== null || !seen.has(actionId(one.action))) seen.set(actionId(one.action), one);
    account.apply(entry);
    if (entry.fact.kind === 'entitled') {
      // A payment that was corrected ended without arriving: that proves nothing.
      for (const id of due.keys())
        if (isOfSameEvent(id, entry.fact.action) && seen.get(id)?.way === 'price') due.delete(id);
      due.set(actionId(entry.fact.action), entry.fact);
    }
    last = entry.at;
  }
  const all = [...due].map(([id, { action }]) => seen.get(id) ?? unseen(action, { last, input }));
  return all.sort((a, b) => begins(a.action) - begins(b.action));
}

/** Payment on shares held at the start of its ex-date that the run did not book, as for one within the price. */
function heldFor(
  { opened, ledger, actions }: AccountState,
  action: CorporateAction,
  { rules, calendar }: SightingInput,
): Entitlement[] {
  const isOld = opened === null || opened.at >= exDateBegins(calendar, action.exDate, rules);
  if (isOld || action.kind !== 'payment' || actions.booked.has(actionId(action))) return [];
  return [entitlementOf(ledger, action, { ...rules, way: 'cash', stocks: new Map() }) ?? []].flat();
}

type Fold = Readonly<{ account: AccountState; due: ReadonlyMap<string, Entitlement>; input: SightingInput }>;

/** Payments that an entry proves. `account`: balances before it. */
function seenIn(entry: JournalEntry, { account, due, input }: Fold): DividendSighting[] {
  const { at, fact } = entry;
  const day = input.calendar.newYorkDate(at);
  if (fact.kind === 'difference') return shownBy(fact, at, { account, due, input });
  if (fact.kind !== 'paid' && fact.kind !== 'paidInTokens') return [];
  const known = due.get(fact.id);
  if (!known) return [];
  const { action } = known;
  if (fact.kind === 'paid')
    return [{ action, way: 'cash', text: `${moneyText(amountOf(known))} mUSD booked on ${day}` }];
  const came = fact.parts.reduce((sum, [, amount]) => sum + amount, fact.wallet ?? 0n);
  const text =
    came > 0n
      ? `${sharesText(came)} ${action.symbol} booked on ${day}`
      : `neither cash nor shares arrived, as an operator confirmed on ${day}`;
  return [{ action, way: came > 0n ? 'tokens' : 'price', text }];
}

/** Payments that arrived in another way than configured: the run booked none, and reported the surplus instead. */
function shownBy(
  { asset, side, expected, actual }: JournalEventOf<'difference'>,
  at: EpochMs,
  { account, due, input }: Fold,
): DividendSighting[] {
  const { rules, calendar, priceAt } = input;
  const gap = actual - expected;
  if (side !== undefined || gap <= 0n) return [];
  const open = [...due].flatMap(([id, one]) =>
    account.actions.unpaid.has(id) || !account.actions.booked.has(id) ? [{ id, due: one }] : [],
  );
  const day = calendar.newYorkDate(at);
  if (asset === 'mUSD') {
    const made = paymentsMakingUp(open, gap).map(({ due: { action } }) => ({
      action,
      way: 'cash' as const,
      text: `${moneyText(gap)} mUSD came on ${day}, which is what was due`,
    }));
    if (made.length > 0) return made;
  }
  const own = open.filter(({ due: { action } }) => asset === 'mUSD' || action.symbol === asset);
  const symbol = own[0]?.due.action.symbol;
  const price = asset === 'mUSD' || symbol === undefined ? null : priceAt(symbol, at);
  const worth = price === null ? null : notionalOf(shares(gap), price, 'down');
  return own.flatMap(({ due: one }): DividendSighting[] => {
    const { action } = one;
    if (worth !== null && isWorth(worth, amountOf(one), rules))
      return [{ action, way: 'tokens', text: grownText(one, { gap: shares(gap), worth, day }) }];
    if (at >= payableIn(action, input).close + LATE_MS) return [];
    const came = asset === 'mUSD' ? moneyText(gap) : sharesText(shares(gap));
    return [
      {
        action,
        way: null,
        text: `${came} ${asset} came on ${day}, where ${moneyText(amountOf(one))} mUSD were due`,
      },
    ];
  });
}

/** Time after a payment's day within which growth other than the amount due may still be that payment, partly withheld. */
const LATE_MS = 7 * DAY_MS;

const payableIn = ({ payableDate, exDate }: Payment, { calendar }: SightingInput) =>
  calendar.sessionFrom(payableDate ?? exDate);

const grownText = (
  due: Entitlement,
  { gap, worth, day }: Readonly<{ gap: Shares; worth: bigint; day: string }>,
): string =>
  `the balance grew by ${sharesText(gap)} ${due.action.symbol} on ${day}, worth ${moneyText(worth)} mUSD of ${moneyText(amountOf(due))} due`;

/** A payment that was not seen: after its payable date, a dividend within the price looks like this. */
function unseen(
  action: Payment,
  { last, input }: Readonly<{ last: EpochMs; input: SightingInput }>,
): DividendSighting {
  const payable = payableIn(action, input);
  if (last < payable.close)
    return { action, way: null, text: `nothing has arrived yet, and it is payable on ${payable.date}` };
  const text = `neither cash nor shares have arrived, and it was payable on ${payable.date}`;
  return { action, way: wayOf(input.rules, action.symbol) === 'price' ? 'price' : null, text };
}

/** Results by stock: its latest payment with a proven form, otherwise its latest payment. */
export function judged(sightings: readonly DividendSighting[], rules: DividendRules): AssumptionResult[] {
  const bySymbol = new Map<Ticker, DividendSighting>();
  for (const one of sightings)
    if (one.way !== null || !bySymbol.get(one.action.symbol)?.way) bySymbol.set(one.action.symbol, one);
  return [...bySymbol].map(([symbol, { action, way, text }]) => {
    const entry = `stocks.${symbol}.${ENTRY}`;
    const assumed = wayOf(rules, symbol);
    const what = `${describeAction(action)}: ${text}`;
    if (way === null) return unchecked(entry, `${what}. ${COME[assumed]} is assumed`);
    if (way === assumed) return asAssumed(entry, `as assumed, ${COME[way]}: ${what}`);
    return differs(
      entry,
      `${COME[way]}, and ${COME[assumed]} is assumed: ${what}`,
      `stocks:\n  ${symbol}: { dividends: ${way} }`,
    );
  });
}

const COME: Readonly<Record<DividendWay, string>> = {
  cash: 'cash',
  tokens: 'tokens',
  price: 'within the price',
};

const AHEAD_DAYS = 14;

export type DividendCheck = Readonly<{
  client: VenueClient;
  loaded: LoadedConfig;
  cwd: string;
  now: EpochMs;
}>;

/** How dividends reached the account, from its run's journal: no endpoint of the venue states it. */
export async function checkDividends(check: DividendCheck): Promise<AssumptionResult[]> {
  const { state } = check.loaded.config;
  const folder = state === undefined ? null : resolve(check.cwd, state);
  const rules = dividendsOf(check.loaded.config);
  const none = (why: string) => [unchecked(ENTRY, noneText(rules, why))];
  if (folder === null || !existsSync(journalFile(folder)) || modeOf(folder) !== 'live')
    return none('the state folder has no journal of live trading');
  try {
    const results = judged(await sightingsOf(journalFile(folder), check), rules);
    return results.length > 0 ? results : none('the journal has no dividend of a stock that was held');
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    return none(`the journal cannot be read: ${error.message}`);
  }
}

async function sightingsOf(file: string, { client, loaded, now }: DividendCheck) {
  const { config } = loaded;
  const calendar = calendarOf(config);
  const [opened] = closing(readJournal(file), (reader) => [...reader.ofKinds(['opened'])]);
  if (!opened || !config.venue) return [];
  const to = calendar.newYorkDate(epochMs(now + AHEAD_DAYS * DAY_MS));
  const announced = await createVenue(client, config.venue)
    .corporateActions?.({ from: calendar.newYorkDate(opened.at), to })
    .catch(atVenueFault(() => []));
  return closing(readJournal(file), (reader) =>
    sightingsIn(reader.ofKinds(KINDS), {
      announced: announced ?? [],
      rules: dividendsOf(config),
      calendar,
      priceAt: (symbol, at) => {
        for (const one of reader.pricesBackwards(symbol)) if (one.at <= at) return one.price;
        return null;
      },
    }),
  );
}

const noneText = ({ way, withheldBps }: DividendRules, why: string): string =>
  `nothing has been seen yet: no endpoint says how dividends come, and ${why}. They are assumed to come as ${way}` +
  `${withheldBps > 0 ? `, less ${withheldBps / 100} %` : ''} (venue.dividends, venue.withheldPercent, stocks.X.dividends); a run reports ` +
  'the first one that comes in another way';
