import { parseDecimal, shares, type Shares } from '../core/amount.ts';
import { InvalidValueError, messageOf, NoAnswerError } from '../core/errors.ts';
import { shortWord } from '../core/printable.ts';
import { ticker, type Address, type Ticker } from '../domain/instrument.ts';
import type { ListedKind, TransferGate, TransferPort, TransferReport } from '../domain/transfers/transfer.ts';
import type { SendOutcome, UnreadableRow } from '../domain/venue.ts';
import { OPERATION_STATUS, REVERTED_WORD, wordIn } from './assumptions/venueRules.ts';
import type { VenueClient } from './client.ts';
import {
  madeAt,
  parseAll,
  quoting,
  requireOwn,
  sameCase,
  setAside,
  timeText,
  wordOf,
  type Quote,
  type Reading,
} from './convert.ts';
import type { CashView, StockView } from './views.ts';
import { isUnreadable, type Unreadable } from '../core/nesting.ts';
import { sendTransfer } from './transactions.ts';

type DebtRow = Exclude<Awaited<ReturnType<VenueClient['debts']>>[number], Unreadable>;
type OutcomeRules = Readonly<{
  outcomeOf: (send: Promise<{ txHash: string }>) => Promise<SendOutcome>;
  gated: (gate: TransferGate) => TransferGate;
}> &
  Reading;

/** Port for transfers sent by the venue through One Click. */
export const createOperationPort = (
  client: VenueClient,
  { outcomeOf, gated, quote, wallet }: OutcomeRules,
): TransferPort => ({
  async submit(terms, gate) {
    if (terms.kind === 'approve')
      return { kind: 'stopped', reason: 'nothing was sent: a wallet approves by itself, not by One Click' };
    return outcomeOf(sendTransfer(client, terms, gated(gate)));
  },
  async transfers(kind, query) {
    const { total, rows } = await client[`${kind}s` as const]({ query });
    return { total, rows: rows.map((row) => toOperationRow(row, kind, { quote, wallet })) };
  },
  async debts() {
    const debts = await debtsOf(client, quote);
    return new Map(debts.map(({ symbol, contract, quantity }) => [named(symbol, contract), quantity]));
  },
});

/** Shares of one stock owed by deferred sells. `symbol`: null if the venue does not name one. */
export type Debt = Readonly<{ symbol: string | null; contract: Address; quantity: Shares }>;

export const toDebt = ({ stockSymbol, stockAddress, debtQuantity }: DebtRow): Debt => ({
  symbol: stockSymbol || null,
  contract: stockAddress,
  quantity: shares(parseDecimal(debtQuantity)),
});

/** Reads all debts or none: an unreadable one would look like no debt. @throws {NoAnswerError} when a row is unreadable */
export async function debtsOf(client: VenueClient, quote: Quote = quoting(client.redact)): Promise<Debt[]> {
  const read = (row: DebtRow | Unreadable) => {
    if (!isUnreadable(row)) return toDebt(row);
    throw new NoAnswerError(`a debt cannot be read: ${quote(row.unreadable, row.raw)}`);
  };
  return parseAll('a debt', await client.debts(), { read: (rows) => rows.map(read), quote });
}

/** @throws {NoAnswerError} */
function named(symbol: string | null, contract: Address): Ticker {
  if (symbol === null) throw new NoAnswerError(`the debt in ${contract} names no stock`);
  try {
    return ticker(symbol);
  } catch (error) {
    throw new NoAnswerError(`a debt cannot be read: ${messageOf(error)}`, {}, { cause: error });
  }
}

function toOperationRow(
  row: CashView | StockView | Unreadable,
  kind: ListedKind,
  { quote, wallet }: Reading,
): TransferReport | UnreadableRow {
  if (isUnreadable(row)) return setAside(row, { quote, txHash: null });
  const txHash = row.mapping ? sameCase(row.mapping.txHash) : null;
  try {
    if (txHash === null) throw new InvalidValueError('an operation without its transaction');
    const view: Partial<CashView> & Partial<StockView> = row;
    const operation: Operation | null | undefined = view[FIELDS[kind]];
    requireOwn(operation?.userAddress, wallet);
    const moved = operation ? movedBy(kind, operation) : null;
    const rawStatus =
      operation?.status ?? row.operationStatus ?? row.mappingStatus ?? row.mapping?.status ?? '';
    const createdAt = madeAt(row.mapping?.createTime);
    // A link can only state failure; any other status merely says that the transaction was sent.
    const word = rawStatus === REVERTED_WORD ? 'failed' : rawStatus;
    const known = wordIn(OPERATION_STATUS, word) ?? (moved ? 'unrecognised' : 'pending');
    const isSeen = moved !== null || known === 'failed';
    return { txHash, status: isSeen ? known : 'pending', rawStatus: shortWord(rawStatus), createdAt, moved };
  } catch (error) {
    if (!(error instanceof InvalidValueError)) throw error;
    return setAside({ unreadable: error.message, raw: row }, { quote, txHash });
  }
}

const wad = (text: string | null | undefined): bigint | null =>
  text === null || text === undefined ? null : parseDecimal(text);

const FIELDS = {
  cashDeposit: 'depositOperation',
  cashWithdrawal: 'withdrawalOperation',
  stockDeposit: 'stockOperation',
  stockWithdrawal: 'stockOperation',
} as const;

type Operation = Partial<NonNullable<CashView['depositOperation']>> &
  Partial<NonNullable<StockView['stockOperation']>>;

/** Amounts of a transfer. `amount`: given; `received`: obtained for it. Without both, a row's terms are unknown. */
function movedBy(
  kind: ListedKind,
  { tokenAddress: token, ...operation }: Operation,
): TransferReport['moved'] {
  const amount = wad(operation.amount);
  const credit = kind.startsWith('stock') ? amount : wad(operation.creditAmount);
  const [given, received] = kind === 'cashWithdrawal' ? [credit, amount] : [amount, credit];
  if (!token || given === null) return null;
  return { token: sameCase(token) as Address, amount: given, received };
}

/**
 * A transfer in the venue's own words and digits, as printed by commands; fields are null where the venue shows nothing (yet). A row
 * may be only the link from transaction to key.
 */
function toTransferText(
  { mapping, mappingStatus, operationStatus, ...view }: Partial<CashView> & Partial<StockView>,
  kind: ListedKind,
) {
  const moved: Operation | null =
    view.stockOperation ?? view.depositOperation ?? view.withdrawalOperation ?? null;
  return {
    operation: kind.endsWith('Deposit') ? ('deposit' as const) : ('withdrawal' as const),
    txHash: mapping?.txHash ?? moved?.createTxHash ?? null,
    operationId: wordOf(moved?.operationId ?? mapping?.operationId),
    status: wordOf(moved?.status ?? operationStatus ?? mappingStatus ?? mapping?.status),
    /** Time at which the venue linked the transaction. */
    at: timeText(mapping?.createTime),
    /** The cash token's address, or the stock's symbol. */
    asset: wordOf(moved?.stockSymbol ?? moved?.tokenAddress),
    /** Amount in units of the moved token, or in shares. */
    amount: moved?.amount ?? null,
    /** mUSD that the account gains or loses; only for cash. */
    credit: moved?.creditAmount ?? null,
    fee: moved?.feeAmount ?? null,
    instant: moved?.isInstant ?? null,
    settleTxHash: moved?.settleTxHash ?? null,
  };
}

export type TransferRow = Readonly<ReturnType<typeof toTransferText>>;

/** Rows of one list page, newest first. `read`: number of rows in the response, including unreadable ones. */
export async function transferRows(
  client: VenueClient,
  kind: ListedKind,
  query: Readonly<{ page: number; limit: number }>,
): Promise<Readonly<{ total: number; rows: readonly TransferRow[]; read: number }>> {
  const { total, rows } = await client[`${kind}s` as const]({ query });
  const readable = rows.flatMap((row) => (isUnreadable(row) ? [] : [toTransferText(row, kind)]));
  return { total, rows: readable, read: rows.length };
}

/** One transfer by the indexer's id. @throws {VenueRefusedError} for an unknown one */
export const transferRow = async (
  client: VenueClient,
  kind: ListedKind,
  operationId: string,
): Promise<TransferRow> => toTransferText(await client[kind]({ path: { operationId } }), kind);
