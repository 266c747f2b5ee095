import { ConfigError } from '../../../core/errors.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { fieldLines, printResult, tableOf, type Column } from '../../../process/output.ts';
import { type Connection, withVenue } from '../../../app/environment/connect.ts';
import { transferRows, type TransferRow } from '../../../api/operations.ts';
import { decimalText, moneyText, sharesText, type AmountText } from '../../../domain/amountText.ts';
import { handOver, withCarrier, type SendFlags } from '../../../app/transfers/manualSends.ts';
import type { NamedTransfer } from '../../../ops/model/manualPlan.ts';
import { exitOf, watch, findTransfer, transferObservation } from '../../../app/transfers/chainTrace.ts';
import { amountOf } from '../../../app/transfers/confirm.ts';

const PAGE_MAX = 100;
/** Lists of each transfer family. */
const KINDS = {
  cash: ['cashDeposit', 'cashWithdrawal'],
  stock: ['stockDeposit', 'stockWithdrawal'],
} as const;
type Family = keyof typeof KINDS;

/** `drover cash list`, `drover stock list`: deposits and withdrawals together, newest first. */
export const listTransfers =
  (family: Family) =>
  ({ limit = 20 }: { limit?: number }, context: CommandContext): Promise<number> =>
    withVenue(context, async ({ client }) => {
      const most = Math.min(Math.max(limit, 1), PAGE_MAX);
      const pages = await Promise.all(
        KINDS[family].map((kind) => transferRows(client, kind, { page: 1, limit: most })),
      );
      const rows = pages
        .flatMap(({ rows: part }) => part)
        .sort((a, b) => (b.at ?? '').localeCompare(a.at ?? ''))
        .slice(0, most);
      const shown = rows.map((row) => roundedTransfer(row, family));
      return printResult(context, rows, tableOf(shown, COLUMNS, { empty: 'none yet' }));
    });

export type ShowFlags = Readonly<{ id: string; wait?: boolean }>;

/** `drover cash show`, `drover stock show`: shows one transfer, by its transaction or its operation id. */
export const showTransfer =
  (family: Family) =>
  ({ id, wait = false }: ShowFlags, context: CommandContext): Promise<number> =>
    withVenue(context, async (account) => {
      const look = () => lookEverywhere(account, family, id);
      const first = await look();
      if (!first && !wait)
        throw new ConfigError(
          `the venue knows no ${id} (yet). It appears when the indexer has seen it; --wait waits for that`,
        );
      const watched = wait ? await watch(look, account) : { observation: first, interrupted: false };
      if (watched.observation) printTransfer(watched.observation.row, family, context);
      return watched.interrupted ? EXIT.interrupted : exitOf(watched.observation);
    });

async function lookEverywhere({ client }: Connection, family: Family, name: string) {
  for (const kind of KINDS[family]) {
    const row = await findTransfer(client, { kind, name });
    if (row) return transferObservation(row);
  }
  return null;
}

const COLUMNS: readonly Column<TransferRow>[] = [
  ['at', ({ at }) => at],
  ['operation', ({ operation }) => operation],
  ['asset', ({ asset }) => asset],
  ['amount', ({ amount }) => amount, 'right'],
  ['credit', ({ credit }) => credit, 'right'],
  ['fee', ({ fee }) => fee, 'right'],
  ['status', ({ status }) => status],
  ['transaction', ({ txHash }) => txHash],
];

/** The row with rounded amounts, for people. */
function roundedTransfer(row: TransferRow, family: Family): TransferRow {
  const text = (amount: string | null, form: AmountText) => amount && decimalText(amount, form);
  return {
    ...row,
    amount: text(row.amount, family === 'cash' ? moneyText : sharesText),
    credit: text(row.credit, moneyText),
    fee: text(row.fee, moneyText),
  };
}

/** Prints a transfer; with `--json` the row itself. */
const printTransfer = (row: TransferRow, family: Family, context: CommandContext): number =>
  printResult(context, row, fieldLines(roundedTransfer(row, family)));

/** Submits a transfer to a run. */
const transfer = (fields: NamedTransfer, flags: SendFlags, context: CommandContext): Promise<number> => {
  const { kind, amount } = fields;
  amountOf(amount, { what: 'AMOUNT' });
  const family = kind.startsWith('cash') ? 'cash' : 'stock';
  const print = (row: object) => printTransfer(row as TransferRow, family, context);
  return withCarrier({ kinds: [kind], flags }, context, (carrier) =>
    handOver([{ verb: 'transfers', fields, print, mayRest: false }], flags, carrier),
  );
};

type CashFlags = SendFlags & Readonly<{ amount: string; token?: string }>;

/** `drover cash deposit AMOUNT`, `drover cash withdraw AMOUNT`: converts the wallet's cash tokens to mUSD, and back. */
export const moveCash =
  (kind: 'cashDeposit' | 'cashWithdrawal') =>
  (flags: CashFlags, context: CommandContext): Promise<number> =>
    transfer({ kind, amount: flags.amount, cashToken: flags.token }, flags, context);

type StockFlags = SendFlags & Readonly<{ symbol: string; amount: string }>;

/** `drover stock deposit SYMBOL AMOUNT`, `drover stock withdraw SYMBOL AMOUNT`: moves shares between wallet and exchange. */
export const moveStock =
  (kind: 'stockDeposit' | 'stockWithdrawal') =>
  (flags: StockFlags, context: CommandContext): Promise<number> =>
    transfer({ kind, amount: flags.amount, symbol: flags.symbol.toUpperCase() }, flags, context);
