import { cash, formatDecimal, notionalOf, price, shares } from '../../core/amount.ts';
import { suggest } from '../../core/suggest.ts';
import { compareWithout, type Mismatch } from '../../domain/account/comparison.ts';
import { externalOrdersIn, lockingOf, locksText, unshownIn } from '../../domain/account/hiddenAmounts.ts';
import { isToken, UNALLOCATED, type Acceptance } from '../../domain/account/ledger.ts';
import type { JournalEvent } from '../../domain/journalEvent.ts';
import type { CommandOf } from '../../domain/operator/command.ts';
import type { EngineContext } from '../state/engineContext.ts';
import { type Decision, balancesText, type Evidence, Refused } from './decision.ts';
import { describeAction, wayOf, CASH_DIVIDENDS, type TokenPayment } from '../../domain/corporateAction.ts';
import type { AccountReport } from '../../domain/venue.ts';
import { asTokens, tokenPayments, type Due } from '../account/dividends.ts';
import { growthOf } from '../account/shownActions.ts';

type Accept = CommandOf<'accept'> & Readonly<{ reason: string }>;

/**
 * Accepts the venue's balance of an asset into the ledger, as an operator's entry.
 * @throws {Refused} while something under way may explain the difference, or external open orders lock the asset
 */
export function acceptBalance(context: EngineContext, command: Accept, evidence: Evidence): Decision {
  const { reason, for: strategyId = UNALLOCATED, preview = false } = command;
  const asset = assetNamed(command.asset);
  const differing = evidence.mismatches.filter((one) => one.asset === asset);
  const dividends = command.for === undefined ? acceptedDividends(context, asset, evidence.report) : null;
  if (differing.length === 0 && !dividends) throw nothingToAccept(asset, context, evidence);
  if (differing.some(({ side }) => side === 'venue')) refuseLocked(asset, context, evidence);
  const { events, mismatches } = differing.some(hasMore)
    ? withoutUnshown(asset, context, evidence)
    : { events: [], mismatches: differing };
  const isDividend = dividends !== null && events.length === 0;
  const acceptances = isDividend
    ? []
    : acceptancesOf(
        mismatches.filter((one) => one.asset === asset),
        strategyId,
        context,
      );
  const lines = [
    ...differing.map(balancesText),
    ...unshownText(events.length, asset),
    ...(isDividend ? [dividends.text] : []),
    preview ? 'nothing was changed: repeat with --yes to accept what the venue has' : 'accepted',
  ];
  const adoptions = isDividend
    ? dividends.adoptions
    : acceptances.map(({ side, strategyId: owner, amount, value }) => ({
        side,
        asset,
        owner,
        amount: formatDecimal(amount),
        value: formatDecimal(value),
      }));
  const unshown = events.length > 0 ? { unshown: events.length } : {};
  return {
    text: lines.join('\n'),
    result: { asset, reason, for: strategyId, adoptions, adopted: !preview, ...unshown },
    events: preview
      ? []
      : [
          ...events,
          ...acceptances.map((one) => ({ kind: 'balanceAccepted', ...one, reason }) as const),
          ...(isDividend ? dividends.payments.map((one) => ({ kind: 'paidInTokens', ...one }) as const) : []),
        ],
  };
}

function assetNamed(text: string): string {
  if (text.startsWith('0x')) return text.toLowerCase();
  return text === 'mUSD' ? text : text.toUpperCase();
}

/** True if the venue has more than the ledger expects: only then may orders that lock nothing be the cause. */
const hasMore = ({ side, actual, expected }: Mismatch): boolean => side === 'venue' && actual > expected;

/** Differences apart from external orders that the venue no longer shows, and the events that end these in the ledger. */
function withoutUnshown(
  asset: string,
  { accountState }: EngineContext,
  { rows, report }: Evidence,
): Readonly<{ events: readonly JournalEvent[]; mismatches: readonly Mismatch[] }> {
  const gone = unshownIn({ rows, complete: true }, accountState, asset);
  return {
    events: gone.map(({ txHash }) => ({ kind: 'external', txHash, report: null, why: 'no longer shown' })),
    mismatches: compareWithout(accountState, report, new Set(gone.map(({ txHash }) => txHash))),
  };
}

/** @throws {Refused} while something under way may explain a difference */
function acceptancesOf(open: readonly Mismatch[], strategyId: string, context: EngineContext): Acceptance[] {
  const unsure = open.find(({ explainable }) => explainable);
  if (unsure)
    throw new Refused(
      'safety',
      `orders or transfers under way may explain the difference in ${unsure.asset}: wait for their end`,
    );
  return open.map((one) => acceptanceOf(one, strategyId, context));
}

function unshownText(count: number, asset: string): string[] {
  if (count === 0) return [];
  const orders = count === 1 ? '1 external order' : `${count} external orders`;
  return [
    `the ledger counts ${asset} as locked by ${orders} that the venue no longer shows: that lock ends, and only the rest is accepted`,
  ];
}

/** Refuses to write off an amount locked by external open orders: it will return, or buy something. @throws {Refused} */
function refuseLocked(asset: string, { accountState }: EngineContext, { rows }: Evidence): void {
  const locking = lockingOf(externalOrdersIn({ rows, complete: true }, accountState), asset);
  if (locking.length === 0) return;
  throw new Refused(
    'safety',
    `nothing was accepted: external open orders lock ${asset}, which is not gone:\n${locksText(locking)}`,
  );
}

function nothingToAccept(
  asset: string,
  { accountState: { ledger }, market }: EngineContext,
  { report }: Evidence,
): Refused {
  const known = new Set<string>([
    ...ledger.assets,
    ...ledger.tokens,
    ...market.instruments.keys(),
    ...[report.holdings, report.tokens, report.debts].flatMap((held) => [...(held?.keys() ?? [])]),
  ]);
  if (known.has(asset)) return new Refused('usage', `ledger and venue agree on ${asset}`);
  const suggestion = suggest(asset, [...known]);
  return new Refused(
    'usage',
    `neither ledger nor venue knows ${asset}${suggestion === undefined ? '.' : `. Did you mean ${suggestion}?`} A cash token of the ` +
      'wallet goes by its address',
  );
}

/** Entry that accepts one difference. @throws {Refused} if there is no such strategy, or it lacks the missing amount */
function acceptanceOf(
  { side, asset, expected, actual }: Mismatch,
  strategyId: string,
  { accountState, market }: EngineContext,
): Acceptance {
  const amount = actual - expected;
  if (strategyId !== UNALLOCATED && !accountState.allocations.has(strategyId))
    throw new Refused('usage', `there is no strategy ${strategyId} in this journal`);
  const freeOf = (id: string) => accountState.ledger.balance(id, 'free', asset);
  if (side === 'venue' && freeOf(strategyId) + amount < 0n) {
    const holders = [...accountState.allocations.keys()].filter((id) => freeOf(id) > 0n);
    const hint = holders.map((id) => `--for ${id} (${formatDecimal(freeOf(id))})`).join(', ');
    const holder = strategyId === UNALLOCATED ? 'unallocated are' : `${strategyId} has`;
    throw new Refused(
      'usage',
      `${formatDecimal(-amount)} ${asset} are gone, and ${holder} only ${formatDecimal(freeOf(strategyId))}: say whose they were, ${hint}`,
    );
  }
  if (side !== 'venue') return { side, asset, strategyId: UNALLOCATED, amount, value: cash(0n) };
  if (asset === 'mUSD' || isToken(asset)) return { side, asset, strategyId, amount, value: cash(amount) };
  const value = notionalOf(shares(amount), market.price(asset) ?? price(0n), 'down');
  return { side, asset, strategyId, amount, value };
}

/** Dividends ended by an operator's command: their bookings, and a text and data for the answer. */
type AcceptedDividends = Readonly<{
  payments: readonly TokenPayment[];
  text: string;
  adoptions: readonly Readonly<Record<string, string>>[];
}>;

/**
 * Dividends of a stock to book with the venue's surplus over the ledger, whatever its value: all that are due in tokens
 * together. Without a surplus, the late ones, which then end without shares. Null if there are neither.
 */
function acceptedDividends(
  context: EngineContext,
  asset: string,
  report: AccountReport,
): AcceptedDividends | null {
  const { accountState, calendar, market, now } = context;
  const { dividends = CASH_DIVIDENDS } = context.rules;
  const all = [...accountState.actions.unpaid]
    .filter(([, { action }]) => action.symbol === asset)
    .map(([id, due]): Due => ({ id, due, isBooked: true }));
  const [first] = all;
  if (!first) return null;
  const { symbol } = first.due.action;
  const growth = growthOf(context, report, symbol);
  if (!growth) return null;
  const isGrown = Object.values(growth).some((amount) => amount > 0n);
  const quoted = market.price(symbol);
  if (isGrown && (quoted === null || wayOf(dividends, symbol) !== 'tokens')) return null;
  const dues = all.filter(
    ({ due: { action } }) => isGrown || now > calendar.sessionFrom(action.payableDate ?? action.exDate).close,
  );
  if (dues.length === 0) return null;
  const own = dues.map((one) => asTokens(one, accountState.ledger, dividends));
  const payments = tokenPayments(own, { growth, price: quoted ?? price(0n) });
  const names = dues.map(({ due }) => describeAction(due.action)).join('; ');
  return {
    payments,
    text: isGrown ? `it is the dividend: ${names}` : `nothing comes any more of: ${names}`,
    adoptions: payments.flatMap(({ parts, price: at }) =>
      parts.map(([owner, quantity]) => ({
        side: 'venue',
        asset,
        owner,
        amount: formatDecimal(quantity),
        value: formatDecimal(notionalOf(quantity, at, 'down')),
      })),
    ),
  };
}
