import { newYorkDate } from '../../../calendar/zone.ts';
import { formatDecimal } from '../../../core/amount.ts';
import type { AccountChange, DividendTerms } from '../../../domain/account/accountChange.ts';
import { moneyText, sharesText } from '../../../domain/amountText.ts';
import { actionId } from '../../../domain/corporateAction.ts';
import type { CommandContext } from '../../../process/context.ts';
import { accountView, type MoneyFlags } from './accountChanges.ts';
import { tableOf, type Column } from '../../../process/output.ts';
import { printList, rowsOf, sumOf, type Fields } from './list.ts';

type Part = AccountChange & DividendTerms & Readonly<{ kind: 'entitled' | 'paid' }>;

/** Dividend of all requested owners. `paid`: New York date of its payment; null while due. `tokens`: shares it was paid in. */
type Dividend = Readonly<{
  terms: DividendTerms;
  quantity: bigint;
  amount: bigint;
  tokens: bigint | null;
  paid: string | null;
}>;

const isPart = (change: AccountChange): change is Part =>
  change.kind === 'entitled' || change.kind === 'paid';

/**
 * Dividends by action, in order of ex-date; the latest parts of each decide whether it is paid. One that ended without arriving is
 * left out.
 */
function dividendsOf(parts: readonly Part[]): readonly Dividend[] {
  const byAction = new Map<string, Part[]>();
  for (const part of parts) {
    const id = actionId(part.action);
    const known = byAction.get(id) ?? [];
    byAction.set(id, [...known.filter(({ kind }) => kind === part.kind), part]);
  }
  return [...byAction.values()].flatMap((latest) => {
    const [first] = latest;
    const tokens = first?.price === undefined ? null : sumOf(latest, (part) => part.shares);
    if (!first || tokens === 0n) return [];
    const paid = first.kind === 'paid' ? newYorkDate(first.at) : null;
    return {
      terms: first,
      quantity: sumOf(latest, (part) => part.quantity),
      amount: sumOf(latest, (part) => part.amount),
      tokens,
      paid,
    };
  });
}

const FIELDS: Fields<Dividend> = {
  status: ({ paid }) => (paid === null ? 'due' : 'paid'),
  symbol: ({ terms }) => terms.action.symbol,
  kind: ({ terms }) => terms.action.name,
  exDate: ({ terms }) => terms.action.exDate,
  payableDate: ({ terms }) => terms.action.payableDate,
  paid: ({ paid }) => paid,
  shares: ({ quantity }) => quantity,
  perShare: ({ terms }) => terms.action.perShare,
  amount: ({ amount }) => amount,
  tokens: ({ tokens }) => tokens,
  price: ({ terms }) => terms.price ?? null,
};

function kindOf({ terms: { action, price }, tokens }: Dividend): string {
  const kind = action.name.replaceAll('_', ' ');
  return price === undefined ? kind : `${kind} as ${sharesText(tokens ?? 0n)} at ${formatDecimal(price)}`;
}

const COLUMNS: readonly Column<Dividend>[] = [
  ['ex-date', ({ terms }) => terms.action.exDate],
  ['payable', ({ terms }) => terms.action.payableDate ?? ''],
  ['paid', ({ paid }) => paid ?? 'due'],
  ['symbol', ({ terms }) => terms.action.symbol],
  ['kind', kindOf],
  ['shares', ({ quantity }) => sharesText(quantity), 'right'],
  ['per share', ({ terms }) => formatDecimal(terms.action.perShare), 'right'],
  ['amount', ({ amount }) => moneyText(amount), 'right'],
];

/**
 * `drover income`: dividends paid, and separately those still due.
 * @throws {ConfigError} for an invalid flag or an unreadable journal
 */
export async function income(flags: MoneyFlags, context: CommandContext): Promise<number> {
  const { changes, isInYear, isWanted, strategyId } = await accountView(flags, context);
  const parts = changes
    .filter(isPart)
    .filter(
      (part) => isWanted(part.action.symbol) && (strategyId === undefined || part.strategyId === strategyId),
    );
  const paidParts = parts.filter(({ kind }) => kind === 'paid');
  const inYear = new Set(paidParts.filter(({ at }) => isInYear(at)).map(({ action }) => actionId(action)));
  const all = dividendsOf(parts);
  const paid = all.filter((each) => each.paid !== null && inYear.has(actionId(each.terms.action)));
  const due = all.filter((each) => each.paid === null);
  const totals = { paid: sumOf(paid, ({ amount }) => amount), due: sumOf(due, ({ amount }) => amount) };
  const [paidRows, dueRows] = [rowsOf(paid, FIELDS), rowsOf(due, FIELDS)];
  const form = {
    json: { paid: paidRows, due: dueRows, interest: '0', totals },
    fields: Object.keys(FIELDS),
    rows: [...paidRows, ...dueRows],
    text: textOf(paid, due, totals),
  };
  return printList(form, flags.csv, context);
}

type Totals = Readonly<{ paid: bigint; due: bigint }>;

function textOf(paid: readonly Dividend[], due: readonly Dividend[], totals: Totals): string {
  const listOf = (items: readonly Dividend[], amount: bigint, empty: string) =>
    tableOf(items, COLUMNS, { empty, totals: { 'ex-date': 'total', amount: moneyText(amount) } });
  const lines = ['Paid', listOf(paid, totals.paid, 'no dividends paid')];
  if (due.length > 0) lines.push('', 'Due, not paid yet', listOf(due, totals.due, ''));
  return [...lines, '', 'The venue pays no interest.'].join('\n');
}
