import { cash, formatDecimal, notionalOf, price, shares } from '../../../core/amount.ts';
import { ConfigError, SafetyError } from '../../../core/errors.ts';
import { isSettlementShown } from '../../../domain/account/freezes.ts';
import type { Acceptance } from '../../../domain/account/acceptance.ts';
import type { Mismatch } from '../../../domain/account/comparison.ts';
import type { JournalEvent } from '../../../domain/journalEvent.ts';
import { isTicker, type Ticker } from '../../../domain/instrument.ts';
import { isToken, UNALLOCATED } from '../../../domain/account/ledger.ts';
import { shortAmounts } from '../../../domain/shortAmounts.ts';
import {
  describeNewTerms,
  cashTokenSubject,
  departures,
  describeDepartures,
  type Departure,
  type PinSubject,
} from '../../../domain/account/pins.ts';
import type { Kernel } from '../../../engine/kernel/kernel.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { confirm } from '../../transfers/confirm.ts';
import { printResult } from '../../output.ts';
import { lockingOf } from '../../../domain/account/hiddenAmounts.ts';
import { locksText } from '../../environment/venueSide.ts';
import { inOperatorSession, type OperatorSession } from '../../environment/operatorSession.ts';
import { suggest } from '../../../core/suggest.ts';

type ReleaseFlags = Readonly<{
  symbol: string;
  reason: string;
  acceptTerms?: boolean;
  yes?: boolean;
  state?: string;
}>;

/**
 * `drover release SYMBOL`: unfreezes a symbol once ledger and venue agree on it. A settlement that could not be booked is booked
 * afterwards: until then ledger and venue may differ by it.
 * @throws {SafetyError} while they differ, or a runner holds the state
 */
export const releaseSymbol = (
  { symbol: text, reason, acceptTerms = false, yes = false, ...flags }: ReleaseFlags,
  context: CommandContext,
): Promise<number> =>
  inOperatorSession(flags, context, ({ kernel, mismatches, commit }) => {
    const { frozen } = kernel.context.accountState;
    const other = departedSubject(text, kernel);
    if (other) return acceptOther(other, { kernel, reason, acceptTerms, yes, context, commit });
    const symbol = text.toUpperCase();
    const why = isTicker(symbol) ? frozen.get(symbol) : undefined;
    if (!isTicker(symbol) || why === undefined)
      throw new ConfigError(
        `${symbol} is not frozen${frozen.size ? `: ${[...frozen.keys()].join(', ')} are` : ''}`,
      );
    const shown = kernel.context.accountState.freezes.shown(symbol);
    const isUnbooked = isSettlementShown(shown);
    refuseDifferences(
      mismatches.filter(({ asset, explainable }) => asset === symbol && !(explainable && isUnbooked)),
    );
    const pinned = acceptedTerms(symbol, { kernel, reason, acceptTerms, yes, context });
    commit([...pinned, { kind: 'released', symbol, reason, ...(shown === undefined ? {} : { shown }) }]);
    printResult(
      context,
      { symbol, why, shown: shown ?? null, reason, released: true, ...termsIn(pinned) },
      `${symbol} is no longer frozen; it was: ${shown ?? why}`,
    );
    return EXIT.done;
  });

type ReleaseParts = Readonly<{
  kernel: Kernel;
  reason: string;
  acceptTerms: boolean;
  yes: boolean;
  context: CommandContext;
}>;
type PinnedEvent = Extract<JournalEvent, { kind: 'pinned' }>;

/** Subject of changed terms other than a stock's: `fees`, `one-click`, or a cash token; null when the text names none. */
function departedSubject(text: string, { context: { accountState } }: Kernel): PinSubject | null {
  const name = text.toLowerCase();
  for (const subject of [...accountState.pins.all.keys(), ...accountState.pins.unpinned]) {
    const isMeant = subject.toLowerCase().replace(' ', '-') === name || subject === cashTokenSubject(text);
    if (isMeant && accountState.pins.departed(subject)) return subject;
  }
  return null;
}

/** Accepts the terms that the venue states instead of a pin other than a stock's. @throws {SafetyError} unless a person agrees */
function acceptOther(
  subject: PinSubject,
  { kernel, context, commit, reason, ...given }: ReleaseParts & Pick<OperatorSession, 'commit'>,
): number {
  const { pins } = kernel.context.accountState;
  const [pinned, terms = {}] = [pins.of(subject), pins.departed(subject)];
  const changed = departures(pinned ?? {}, terms);
  const what = pinned ? `${subject}: ${describeDepartures(changed)}` : describeNewTerms(subject, terms);
  if (!given.acceptTerms) throw new SafetyError(`${what}. To accept that, repeat with --accept-terms`);
  const facts = pinned ? changeLines(changed) : Object.entries(terms);
  confirm({ what: `Accept the new terms: ${subject}`, facts }, given.yes, context);
  commit([{ kind: 'pinned', pins: [{ subject, terms: { ...pinned, ...terms } }], reason }]);
  printResult(context, { subject, terms, reason, released: true }, `${subject}: the new terms are accepted`);
  return EXIT.done;
}

const changeLines = (changed: readonly Departure[]): (readonly [string, string])[] =>
  changed.map(({ term, pinned, stated }) => [term, `${pinned} becomes ${stated}`]);

const termsIn = ([pinned]: readonly PinnedEvent[]) => (pinned ? { terms: pinned.pins[0]?.terms } : {});

/**
 * The pin of the terms that the venue lists instead of the pinned ones; none where they are the same.
 * @throws {SafetyError} unless a person accepts them, or when another stock has the new contract
 */
function acceptedTerms(symbol: Ticker, { kernel, context, ...given }: ReleaseParts): PinnedEvent[] {
  const shared = kernel.stockTerms.sharingOf(symbol);
  if (shared !== undefined) throw new SafetyError(`${symbol} stays frozen: ${shared}. Ask the venue`);
  const change = kernel.stockTerms.changeOf(symbol);
  if (!change) return [];
  const { departures, owners, pin } = change;
  const both = describeDepartures(departures);
  if (owners.length > 0)
    throw new SafetyError(
      `${symbol} stays frozen: ${both}, and that is the contract of ${owners.join(', ')}. Ask the venue`,
    );
  if (!given.acceptTerms)
    throw new SafetyError(
      `${symbol} stays frozen: ${both}. Ask the venue why. To accept that, repeat with --accept-terms`,
    );
  confirm({ what: `Accept the new terms of ${symbol}`, facts: changeLines(departures) }, given.yes, context);
  return [{ kind: 'pinned', pins: [pin], reason: given.reason }];
}

/** Refuses while ledger and venue differ. @throws {SafetyError} naming each difference */
export function refuseDifferences(open: readonly Mismatch[]): void {
  if (open.length === 0) return;
  throw new SafetyError(
    `not released: ledger and venue still differ:\n${open.map((one) => `  ${shortAmounts(textOf(one))}`).join('\n')}\n` +
      'Find out why. `drover adopt ASSET --reason TEXT` accepts what the venue has',
  );
}

const textOf = ({ side, asset, expected, actual }: Mismatch): string =>
  `${asset}${side === 'venue' ? '' : ` (${side})`}: ${formatDecimal(expected)} in the ledger, ${formatDecimal(actual)} at the venue`;

type AdoptFlags = Readonly<{
  asset: string;
  reason: string;
  for?: string;
  yes?: boolean;
  state?: string;
}>;

/**
 * `drover adopt ASSET`: accepts the venue's balance of an asset in the ledger, as an entry of the operator.
 * @throws {SafetyError} while something under way may explain the difference, or external open orders lock the asset
 */
export const adoptCommand = (
  { asset: text, reason, for: strategyId = UNALLOCATED, yes = false, ...flags }: AdoptFlags,
  context: CommandContext,
): Promise<number> =>
  inOperatorSession(flags, context, (session) => {
    const asset = text.startsWith('0x') ? text.toLowerCase() : text === 'mUSD' ? text : text.toUpperCase();
    const differing = session.mismatches.filter((one) => one.asset === asset);
    if (differing.length === 0) throw nothingToAdopt(asset, session);
    if (differing.some(({ side }) => side === 'venue')) refuseLocked(asset, session);
    const { facts, mismatches } = differing.some(hasMore)
      ? session.withoutUnshown(asset)
      : { facts: [], mismatches: differing };
    const adoptions = adoptionsOf(
      mismatches.filter((one) => one.asset === asset),
      strategyId,
      session,
    );
    if (yes)
      session.commit([
        ...facts,
        ...adoptions.map((one) => ({ kind: 'balanceAccepted', ...one, reason }) as const),
      ]);
    const lines = [
      ...differing.map(textOf),
      ...unshownText(facts.length, asset),
      yes ? 'adopted' : 'nothing was changed: repeat with --yes to accept what the venue has',
    ];
    const unshown = facts.length > 0 ? { unshown: facts.length } : {};
    const shown = adoptions.map(({ strategyId: owner, side, amount, value }) => ({
      side,
      asset,
      owner,
      amount,
      value,
    }));
    const result = { asset, reason, for: strategyId, adoptions: shown, adopted: yes, ...unshown };
    printResult(context, result, lines.join('\n'));
    return EXIT.done;
  });

/** True where the venue has more than the ledger expects: only then may orders without a lock be the cause. */
const hasMore = ({ side, actual, expected }: Mismatch): boolean => side === 'venue' && actual > expected;

/** @throws {SafetyError} while something under way may explain a difference */
function adoptionsOf(open: readonly Mismatch[], strategyId: string, session: OperatorSession): Acceptance[] {
  const unsure = open.find(({ explainable }) => explainable);
  if (unsure)
    throw new SafetyError(
      `orders or transfers under way may explain the difference in ${unsure.asset}: wait for their end`,
    );
  return open.map((one) => adoptionOf(one, strategyId, session));
}

function unshownText(count: number, asset: string): string[] {
  if (count === 0) return [];
  const orders = count === 1 ? '1 external order' : `${count} external orders`;
  return [
    `the ledger counts ${asset} as locked by ${orders} that the venue no longer shows: that lock ends, and only the rest is adopted`,
  ];
}

/** Refuses to write off an amount that external open orders lock: it comes back, or buys. @throws {SafetyError} */
function refuseLocked(asset: string, { others }: OperatorSession): void {
  const locking = lockingOf(others, asset);
  if (locking.length === 0) return;
  throw new SafetyError(
    `nothing was adopted: external open orders lock ${asset}, which is not gone:\n${locksText(locking)}`,
  );
}

function nothingToAdopt(asset: string, { assets }: OperatorSession): ConfigError {
  if (assets.has(asset)) return new ConfigError(`ledger and venue agree on ${asset}`);
  const meant = suggest(asset, [...assets]);
  return new ConfigError(
    `neither ledger nor venue knows ${asset}${meant === undefined ? '.' : `. Did you mean ${meant}?`} A cash token of the ` +
      'wallet goes by its address',
  );
}

/** Entry that accepts one difference. @throws {ConfigError} when there is no such strategy, or it does not have what is gone */
function adoptionOf(
  { side, asset, expected, actual }: Mismatch,
  strategyId: string,
  { kernel }: OperatorSession,
): Acceptance {
  const { accountState, market } = kernel.context;
  const amount = actual - expected;
  if (strategyId !== UNALLOCATED && !accountState.allocations.has(strategyId))
    throw new ConfigError(`there is no strategy ${strategyId} in this journal`);
  const freeOf = (id: string) => accountState.ledger.balance(id, 'free', asset);
  if (side === 'venue' && freeOf(strategyId) + amount < 0n) {
    const holders = [...accountState.allocations.keys()].filter((id) => freeOf(id) > 0n);
    const hint = holders.map((id) => `--for ${id} (${formatDecimal(freeOf(id))})`).join(', ');
    const whose = strategyId === UNALLOCATED ? 'unallocated are' : `${strategyId} has`;
    throw new ConfigError(
      `${formatDecimal(-amount)} ${asset} are gone, and ${whose} only ${formatDecimal(freeOf(strategyId))}: say whose they were, ${hint}`,
    );
  }
  if (side !== 'venue') return { side, asset, strategyId: UNALLOCATED, amount, value: cash(0n) };
  if (asset === 'mUSD' || isToken(asset)) return { side, asset, strategyId, amount, value: cash(amount) };
  const value = notionalOf(shares(amount), market.price(asset) ?? price(0n), 'down');
  return { side, asset, strategyId, amount, value };
}
