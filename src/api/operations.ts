import { parseDecimal, shares, type Shares } from '../core/amount.ts';
import { InvalidValueError, messageOf, NoAnswerError } from '../core/errors.ts';
import { shortWord } from '../core/printable.ts';
import { ticker, type Address, type Ticker } from '../domain/instrument.ts';
import type {
  TransferGate,
  TransferPage,
  TransferPort,
  TransferReport,
} from '../domain/transfers/transfer.ts';
import type { SendOutcome, UnreadableRow } from '../domain/venue.ts';
import { OPERATION_STATUS, REVERTED_WORD, wordIn } from './assumptions/venueRules.ts';
import type { VenueClient } from './client.ts';
import { TRANSFER_CALLS } from './bodies.ts';
import { madeAt, quoting, sameCase, setAside, parseAll, type Quote } from './convert.ts';
import type { CashView, StockView } from './views.ts';
import { isUnreadable, type Unreadable } from './wire.ts';

type DebtRow = Exclude<Awaited<ReturnType<VenueClient['debts']>>[number], Unreadable>;
type Sorting = Readonly<{
  outcomeOf: (send: Promise<{ txHash: string }>) => Promise<SendOutcome>;
  gated: (gate: TransferGate) => TransferGate;
  quote: Quote;
}>;

/** Transfers of the venue, sent through One Click. */
export const createOperationPort = (
  client: VenueClient,
  { outcomeOf, gated, quote }: Sorting,
): TransferPort => ({
  async operate(terms, gate) {
    if (terms.kind === 'approve')
      return { kind: 'stopped', reason: 'nothing was sent: a wallet approves by itself, not by One Click' };
    return outcomeOf(TRANSFER_CALLS[terms.kind].send(client, terms, gated(gate)));
  },
  async operations(kind, query) {
    switch (kind) {
      case 'cashDeposit':
        return pageOf(await client.cashDeposits({ query }), { movedOf: cashDeposited, quote });
      case 'cashWithdrawal':
        return pageOf(await client.cashWithdrawals({ query }), { movedOf: cashWithdrawn, quote });
      case 'stockDeposit':
        return pageOf(await client.stockDeposits({ query }), { movedOf: stockMoved, quote });
      case 'stockWithdrawal':
        return pageOf(await client.stockWithdrawals({ query }), { movedOf: stockMoved, quote });
    }
  },
  async debts() {
    const debts = await debtsOf(client, quote);
    return new Map(debts.map(({ symbol, contract, quantity }) => [named(symbol, contract), quantity]));
  },
});

/** Shares of one stock that deferred sells owe. `symbol`: null where the venue names none. */
export type Debt = Readonly<{ symbol: string | null; contract: Address; quantity: Shares }>;

export const toDebt = ({ stockSymbol, stockAddress, debtQuantity }: DebtRow): Debt => ({
  symbol: stockSymbol || null,
  contract: stockAddress,
  quantity: shares(parseDecimal(debtQuantity)),
});

/**
 * Reads all debts or none, because an unreadable one would look like no debt.
 * @throws {NoAnswerError} when a row cannot be read
 */
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

type Page<View> = Readonly<{ total: number; rows: readonly (View | Unreadable)[] }>;

const pageOf = <View extends CashView | StockView>(
  { total, rows }: Page<View>,
  reading: TransferReading<View>,
): TransferPage => ({ total, rows: rows.map((row) => toOperationRow(row, reading)) });

type TransferReading<View> = Readonly<{ movedOf: (view: View) => Moved; quote: Quote }>;
type Moved = Readonly<{ status: string | null | undefined; moved: TransferReport['moved'] }>;

function toOperationRow<View extends CashView | StockView>(
  row: View | Unreadable,
  { movedOf, quote }: TransferReading<View>,
): TransferReport | UnreadableRow {
  if (isUnreadable(row)) return setAside(row, { quote, txHash: null });
  const txHash = row.mapping ? sameCase(row.mapping.txHash) : null;
  try {
    if (txHash === null) throw new InvalidValueError('an operation without its transaction');
    const { status, moved } = movedOf(row);
    const rawStatus = status ?? row.operationStatus ?? row.mappingStatus ?? row.mapping?.status ?? '';
    const createdAt = madeAt(row.mapping?.createTime);
    // A link that says so has failed; any other says only that the transaction was sent.
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

/** `amount`: what was given; `received`: what came of it. Without both a row says nothing of its terms. */
function movedOf(token: string | null | undefined, amount: bigint | null, received: bigint | null) {
  if (!token || amount === null) return null;
  return { token: sameCase(token) as Address, amount, received };
}

function cashDeposited({ depositOperation: operation }: CashView): Moved {
  if (!operation) return { status: null, moved: null };
  const { status, tokenAddress, amount, creditAmount } = operation;
  return { status, moved: movedOf(tokenAddress, wad(amount), wad(creditAmount)) };
}

function cashWithdrawn({ withdrawalOperation: operation }: CashView): Moved {
  if (!operation) return { status: null, moved: null };
  const { status, tokenAddress, amount, creditAmount } = operation;
  return { status, moved: movedOf(tokenAddress, wad(creditAmount), wad(amount)) };
}

function stockMoved({ stockOperation: operation }: StockView): Moved {
  if (!operation) return { status: null, moved: null };
  const { status, tokenAddress, amount } = operation;
  return { status, moved: movedOf(tokenAddress, wad(amount), wad(amount)) };
}
