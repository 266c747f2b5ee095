import { formatDecimal } from '../../../core/amount.ts';
import { UNALLOCATED, type Asset } from '../../../domain/account/ledger.ts';
import type { TransferId } from '../../../domain/transfers/transfer.ts';
import type { ManualRun } from '../../../app/environment/manualRun.ts';
import type { CommandContext } from '../../../process/context.ts';
import { withVenue } from '../../../app/environment/connect.ts';
import { amountOf } from '../../../app/transfers/confirm.ts';
import { toDebt } from '../../../api/operations.ts';
import { debtRow } from '../venue/balance.ts';
import { handOver, withCarrier, type SendFlags } from '../../../app/transfers/manualSends.ts';
import { printResult, readableRows, tableOf, type Column } from '../../../process/output.ts';

/** `drover debt list`: shares that deferred sells still owe. */
export const debtList = (_flags: object, context: CommandContext): Promise<number> =>
  withVenue(context, async ({ client }) => {
    const rows = readableRows(await client.debts(), context.terminal).map((row) => debtRow(toDebt(row)));
    return printResult(context, rows, tableOf(rows, COLUMNS, { empty: 'no debt' }));
  });

const COLUMNS: readonly Column<ReturnType<typeof debtRow>>[] = [
  ['symbol', ({ symbol }) => symbol],
  ['owed', ({ quantity }) => quantity, 'right'],
];

type RepayFlags = SendFlags & Readonly<{ symbol: string; amount: string }>;

/** `drover debt repay SYMBOL AMOUNT`: burns shares from the wallet to repay the debt. */
export const debtRepay = (flags: RepayFlags, context: CommandContext): Promise<number> => {
  const { amount, symbol } = flags;
  amountOf(amount, { what: 'AMOUNT' });
  return withCarrier({ kinds: ['repay'], flags }, context, (carrier) => {
    const fields = { kind: 'repay', amount, symbol: symbol.toUpperCase() };
    const { manual } = carrier;
    const print = (row: RepaidRow) => printRepaid(manual ? { ...row, ...debtIn(manual, row) } : row, context);
    return handOver([{ verb: 'transfers', fields, print, mayRest: false }], flags, carrier);
  });
};

type RepaidRow = Readonly<Record<string, unknown>>;

/** Debt in a stock according to a run's ledger, now and before a repayment. */
function debtIn({ accountState: { transfers, ledger } }: ManualRun, { id, asset }: RepaidRow): RepaidRow {
  const before = transfers.of(id as TransferId).seen?.debt ?? null;
  const owed = -ledger.balance(UNALLOCATED, 'debt', asset as Asset);
  return { symbol: asset, owedBefore: before && formatDecimal(before), owed: formatDecimal(owed) };
}

function printRepaid(row: RepaidRow, context: CommandContext): void {
  const [amount, symbol, status, txHash] = [row['amount'], row['asset'], row['status'], row['txHash']].map(
    String,
  );
  printResult(context, row, `repay ${amount} ${symbol}: ${status}, transaction ${txHash}`);
}
