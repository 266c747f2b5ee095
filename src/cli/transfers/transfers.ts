import type { VenueClient } from '../../api/client.ts';
import { parseDecimal } from '../../core/amount.ts';
import { epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import { NotSentError, VenueRefusedError } from '../../core/errors.ts';
import { shown } from './orderRow.ts';
import { readableOf } from './market.ts';
import { isFromBefore, otherObservation, type Observation } from './chainTrace.ts';

/** A deposit or withdrawal, of cash or of stock. Amounts as decimal text; null where the venue says nothing (yet). */
export type OperationRow = Readonly<{
  operation: 'deposit' | 'withdrawal';
  txHash: string | null;
  operationId: string | null;
  status: string | null;
  at: string | null;
  /** The cash token's address, or the stock's symbol. */
  asset: string | null;
  /** In the token that moves, or in shares. */
  amount: string | null;
  /** mUSD, of cash alone: what the account gets or gives. */
  credit: string | null;
  fee: string | null;
  instant: boolean | null;
  settleTxHash: string | null;
}>;

type Page = Readonly<{ page: number; limit: number }>;
type Views = Readonly<{ total: number; rows: readonly OperationRow[]; read: number }>;
export type Family = 'cash' | 'stock';

type View =
  Awaited<ReturnType<VenueClient['cashDeposit']>> | Awaited<ReturnType<VenueClient['stockDeposit']>>;

function rowOf(view: View, operation: OperationRow['operation']): OperationRow {
  const { mapping, mappingStatus, operationStatus } = view;
  const moved =
    'stockOperation' in view
      ? view.stockOperation
      : 'depositOperation' in view || 'withdrawalOperation' in view
        ? (view.depositOperation ?? view.withdrawalOperation)
        : null;
  const cash = moved && 'creditAmount' in moved ? moved : null;
  return {
    operation,
    txHash: mapping?.txHash ?? moved?.createTxHash ?? null,
    operationId: shown(moved?.operationId ?? mapping?.operationId),
    status: shown(moved?.status ?? operationStatus ?? mappingStatus ?? mapping?.status),
    at: mapping?.createTime ? toIso(epochMs(mapping.createTime * 1000)) : null,
    asset: shown((moved && 'stockSymbol' in moved ? moved.stockSymbol : null) ?? moved?.tokenAddress),
    amount: moved?.amount ?? null,
    credit: cash?.creditAmount ?? null,
    fee: cash?.feeAmount ?? null,
    instant: cash?.isInstant ?? null,
    settleTxHash: cash?.settleTxHash ?? null,
  };
}

/** One page of one list, newest first. */
export async function operationsOf(
  client: VenueClient,
  { family, operation }: Readonly<{ family: Family; operation: OperationRow['operation'] }>,
  query: Page,
): Promise<Views> {
  const asked =
    family === 'cash'
      ? operation === 'deposit'
        ? client.cashDeposits({ query })
        : client.cashWithdrawals({ query })
      : operation === 'deposit'
        ? client.stockDeposits({ query })
        : client.stockWithdrawals({ query });
  const { total, rows } = await asked;
  return {
    total,
    rows: readableOf<View>(rows).map((view) => rowOf(view, operation)),
    read: rows.length,
  };
}

const PAGE = 100;
const PAGES_MAX = 20;

/** List to search, and the name to search for: a transaction's hash or an operation's id. */
export type OperationQuery = Readonly<{ family: Family; operation: OperationRow['operation']; name: string }>;

/** The operation, or null while the venue does not know it. */
export async function findOperation(
  client: VenueClient,
  wanted: OperationQuery,
): Promise<OperationRow | null> {
  const name = wanted.name.toLowerCase();
  for (let page = 1; page <= PAGES_MAX; page++) {
    const { total, rows, read } = await operationsOf(client, wanted, { page, limit: PAGE });
    const found = rows.find(({ txHash, operationId }) =>
      [txHash, operationId].some((each) => each?.toLowerCase() === name),
    );
    if (found) return found;
    if (read === 0 || page * PAGE >= total) break;
  }
  return byId(client, wanted);
}

/** Older than the lists reach. */
async function byId(
  client: VenueClient,
  { family, operation, name }: OperationQuery,
): Promise<OperationRow | null> {
  const request = { path: { operationId: name } };
  const asked =
    family === 'cash'
      ? operation === 'deposit'
        ? client.cashDeposit(request)
        : client.cashWithdrawal(request)
      : operation === 'deposit'
        ? client.stockDeposit(request)
        : client.stockWithdrawal(request);
  try {
    return rowOf(await asked, operation);
  } catch (error) {
    if (error instanceof VenueRefusedError || error instanceof NotSentError) return null;
    throw error;
  }
}

/** In lower case: `sent` is our own, of what nobody has shown yet. */
const WORDS_ON_THE_WAY: ReadonlySet<string> = new Set(['sent', 'pending', 'processing']);

/** A word that is not known is no end. */
export function operationObservation(row: OperationRow): Observation<OperationRow> {
  const word = row.status?.toLowerCase();
  const end = word === 'success' ? 'done' : word === 'failed' ? 'failed' : null;
  const isWordUnknown = word !== undefined && end === null && !WORDS_ON_THE_WAY.has(word);
  return { row, status: row.status ?? 'sent', end, isWordUnknown };
}

/** Requested asset, under any of its names, and amount. Wads. */
export type RequestedAmount = Readonly<
  { names: readonly string[]; amount: bigint } | { names: readonly string[]; credit: bigint }
>;

/** Progress of the operation that was sent, if it is the one that the venue shows. */
export function sentObservation(
  row: OperationRow,
  asked: RequestedAmount,
  sentAt: EpochMs,
): Observation<OperationRow> {
  const { operation, asset, amount, credit, at } = row;
  const isNamed = asset === null || asked.names.some((name) => name.toLowerCase() === asset.toLowerCase());
  const isAsMuch = 'credit' in asked ? isWorth(credit, asked.credit) : isWorth(amount, asked.amount);
  const isEarlier = at !== null && isFromBefore(epochMs(Date.parse(at)), sentAt);
  if (isNamed && isAsMuch && !isEarlier) return operationObservation(row);
  const told = [amount, asset, at && `of ${at}`].filter((word) => word);
  return otherObservation(row, `a ${operation} ${told.join(' ')}`);
}

/** True unless the venue shows another number; a missing or unreadable one is no difference. */
const isWorth = (text: string | null, wad: bigint): boolean =>
  text === null || !/^\d+(\.\d{1,18})?$/.test(text) || parseDecimal(text) === wad;

export const unseenOperation = (operation: OperationRow['operation'], txHash: string): OperationRow => ({
  operation,
  txHash,
  operationId: null,
  status: 'sent',
  at: null,
  asset: null,
  amount: null,
  credit: null,
  fee: null,
  instant: null,
  settleTxHash: null,
});
