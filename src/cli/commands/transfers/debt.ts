import { formatDecimal, shares } from '../../../core/amount.ts';
import { sharesText } from '../../../domain/amountText.ts';
import { UNALLOCATED, type Asset } from '../../../domain/account/ledger.ts';
import type { TransferId } from '../../../domain/transfers/transfer.ts';
import type { ManualRun } from '../../environment/manualRun.ts';
import { sameAddress, type Address } from '../../../domain/instrument.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { withAccount, withMovingAccount, type Account } from '../../transfers/account.ts';
import { requireEnough, requireSpendable, walletOf } from '../../transfers/market.ts';
import { amountOf } from '../../transfers/confirm.ts';
import { debtsOf, toDebt } from '../../../api/operations.ts';
import type { VenueClient } from '../../../api/client.ts';
import { debtRow } from '../venue/balance.ts';
import { stockOf } from '../../transfers/pinned.ts';
import { handOver, withCarrier } from '../../transfers/besideDaemon.ts';
import { goesOn, perform, type MoveFlags } from '../../transfers/perform.ts';
import type { Look } from '../../transfers/chainTrace.ts';
import { readableRows, toJson, table } from '../../output.ts';

/** `drover debt list`: shares that deferred sells still owe. */
export const debtList = (_flags: object, context: CommandContext): Promise<number> =>
  withAccount(context, async ({ client }) => {
    const { terminal, json } = context;
    const rows = readableRows(await client.debts(), terminal).map((row) => debtRow(toDebt(row)));
    if (json) terminal.out(toJson(rows));
    else if (rows.length === 0) terminal.out('no debt');
    else {
      const cells = rows.map(({ symbol, quantity }) => [symbol, quantity]);
      terminal.out(table(['symbol', 'owed'], cells, ['owed']));
    }
    return EXIT.done;
  });

/** Shares of a stock that deferred sells still owe. @throws {NoAnswerError} when a debt cannot be read */
async function owedOf(client: VenueClient, stock: Address): Promise<bigint> {
  const debts = await debtsOf(client);
  return debts.find(({ contract }) => sameAddress(contract, stock))?.quantity ?? 0n;
}

/** Known state of a repayment. No list has them: the chain shows it, or without a node the debt. */
type RepayRow = Readonly<{
  operation: 'repay';
  txHash: string;
  symbol: string;
  amount: string;
  owedBefore: string;
  owed: string | null;
  /** Outcome, with the cause of a revert. */
  status: string;
}>;

/** Longest time to look for a repayment, in ms: one that reverts shows in no list. */
const REPAY_MAX_MS = 300_000;

type RepayFlags = MoveFlags & Readonly<{ symbol: string; amount: string }>;

/** `drover debt repay SYMBOL AMOUNT`: burns shares of the wallet against the debt. */
export const debtRepay = (flags: RepayFlags, context: CommandContext): Promise<number> =>
  withCarrier({ kind: 'repay', flags }, context, (carrier) => {
    if (!carrier) return repayAlone(flags, context);
    const fields = { kind: 'repay', amount: flags.amount, symbol: flags.symbol.toUpperCase() };
    const print = (row: HandedRow) =>
      printHanded(carrier.manual ? { ...row, ...debtIn(carrier.manual, row) } : row, context);
    return handOver({ verb: 'transfers', fields, print, mayRest: false }, flags, carrier);
  });

type HandedRow = Readonly<Record<string, unknown>>;

/** Debt in a stock by the books of a run, now and before a repayment. */
function debtIn({ accountState: { transfers, ledger } }: ManualRun, { id, asset }: HandedRow): HandedRow {
  const before = transfers.of(id as TransferId).seen?.debt ?? null;
  const owed = -ledger.balance(UNALLOCATED, 'debt', asset as Asset);
  return { symbol: asset, owedBefore: before && formatDecimal(before), owed: formatDecimal(owed) };
}

function printHanded(row: HandedRow, { terminal, json }: CommandContext): void {
  const [amount, symbol, status, txHash] = [row['amount'], row['asset'], row['status'], row['txHash']].map(
    String,
  );
  terminal.out(json ? toJson(row) : `repay ${amount} ${symbol}: ${status}, transaction ${txHash}`);
}

const repayAlone = (flags: RepayFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'repay', flags }, context, async (account) => {
    const amount = shares(amountOf(flags.amount, { what: 'AMOUNT' }));
    const stock = await stockOf(account, flags.symbol);
    const owed = await owedOf(account.client, stock.address);
    requireEnough(owed, {
      needed: amount,
      of: `${stock.symbol} owed`,
      text: formatDecimal,
      remedy: 'Repay no more than is owed',
    });
    const remedy = `\`drover stock withdraw ${stock.symbol} AMOUNT\` brings shares from the exchange`;
    const need = { token: stock, amount, text: sharesText, remedy };
    const wallet = await walletOf(account);
    const approved = requireSpendable(wallet, need);
    const unseen = (txHash: string): RepayRow => ({
      operation: 'repay',
      txHash,
      symbol: stock.symbol,
      amount: formatDecimal(amount),
      owedBefore: formatDecimal(owed),
      owed: null,
      status: 'sent',
    });
    return perform(
      {
        move: { kind: 'repay', symbol: stock.symbol, token: stock.address, amount },
        plan: {
          what: `Repay ${formatDecimal(amount)} ${stock.symbol} of the debt`,
          facts: [
            ['from', `wallet ${account.venue.userAddress}, where the shares are burned`],
            ['owed', `${formatDecimal(owed)} now, ${formatDecimal(owed - amount)} after it`],
            approved,
            ['seen by', seenBy(account)],
          ],
        },
        look: (txHash) =>
          lookAtDebt(account, { before: owed, amount, stock: stock.address, row: unseen(txHash) }),
        byReceipt: true,
        unseen,
        print: (row) => print(row, context),
        again: { look: (txHash) => lookAgain(txHash, account), list: 'drover debt list' },
      },
      flags,
      account,
    );
  });

const seenBy = ({ venue }: Account): string =>
  venue.rpcUrl === undefined
    ? 'the debt alone: without venue.rpcUrl a revert looks like a delay'
    : 'the chain, whose receipt shows how it ended';

const lookAgain = (txHash: string, { venue }: Account): string =>
  venue.rpcUrl === undefined
    ? '`drover debt list` shows when less is owed. Without venue.rpcUrl a revert cannot be seen'
    : goesOn(`drover wallet show ${txHash}`);

type ExpectedDebt = Readonly<{ before: bigint; amount: bigint; stock: Address; row: RepayRow }>;

function lookAtDebt(
  { client, clock }: Account,
  { before, amount, stock, row }: ExpectedDebt,
): Look<RepayRow> {
  const since = clock.monotonic();
  return async () => {
    const owed = await owedOf(client, stock);
    const seen = { ...row, owed: formatDecimal(owed) };
    if (owed <= before - amount)
      return { row: { ...seen, status: 'success' }, status: 'success', end: 'done' };
    if (clock.monotonic() - since < REPAY_MAX_MS) return { row: seen, status: 'sent', end: null };
    return { row: { ...seen, status: 'not seen' }, status: 'not seen', end: 'failed' };
  };
}

function print(row: RepayRow, { terminal, json }: CommandContext): void {
  if (json) return terminal.out(toJson(row));
  const { amount, symbol, owed, owedBefore, txHash, status } = row;
  terminal.out(`repay ${amount} ${symbol}: ${status}, owed ${owed ?? owedBefore}, transaction ${txHash}`);
  if (status === 'not seen')
    terminal.err(
      `the debt is not lower, so the transaction may have reverted: \`drover wallet show ${txHash}\` shows that, ` +
        'where venue.rpcUrl is set',
    );
}
