import { ConfigError, NotSentError } from '../../../core/errors.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { toJson, table } from '../../output.ts';
import {
  withAccount,
  type Account,
  type SendingAccount,
  withMovingAccount,
} from '../../transfers/account.ts';
import {
  findTransfer,
  sentObservation,
  transferObservation,
  unseenTransfer,
  type ListedTerms,
} from '../../transfers/transfers.ts';
import { transferRows, type TransferRow } from '../../../api/operations.ts';
import { decimalText, moneyText, sharesText, type AmountText } from '../../../domain/amountText.ts';
import { handOver, withCarrier } from '../../transfers/besideDaemon.ts';
import type { ListedKind } from '../../../domain/transfers/transfer.ts';
import { exitOf, goesOn, perform, type Job, type MoveFlags } from '../../transfers/perform.ts';
import { watch } from '../../transfers/chainTrace.ts';
import {
  bpsOf,
  cash,
  formatDecimal,
  parseDecimal,
  roundTo,
  stepOf,
  type Cash,
  shares,
} from '../../../core/amount.ts';
import {
  requireSpendable,
  walletOf,
  holdingOf,
  isInstantDeposit,
  requireEnough,
  speedOf,
  type TokenTerms,
} from '../../transfers/market.ts';
import { amountOf } from '../../transfers/confirm.ts';
import { pinnedCashToken, stockOf } from '../../transfers/pinned.ts';

const PAGE_MAX = 100;
/** Lists of each family of transfers. */
const KINDS = {
  cash: ['cashDeposit', 'cashWithdrawal'],
  stock: ['stockDeposit', 'stockWithdrawal'],
} as const;
type Family = keyof typeof KINDS;

/** `drover cash list`, `drover stock list`: deposits and withdrawals together, newest first. */
export const listTransfers =
  (family: Family) =>
  ({ limit = 20 }: { limit?: number }, context: CommandContext): Promise<number> =>
    withAccount(context, async ({ client }) => {
      const most = Math.min(Math.max(limit, 1), PAGE_MAX);
      const pages = await Promise.all(
        KINDS[family].map((kind) => transferRows(client, kind, { page: 1, limit: most })),
      );
      const rows = pages
        .flatMap(({ rows: part }) => part)
        .sort((a, b) => (b.at ?? '').localeCompare(a.at ?? ''))
        .slice(0, most);
      printTransfers(rows, family, context);
      return EXIT.done;
    });

export type ShowFlags = Readonly<{ id: string; wait?: boolean }>;

/** `drover cash show`, `drover stock show`: shows one, by its transaction or its operation id. */
export const showTransfer =
  (family: Family) =>
  ({ id, wait = false }: ShowFlags, context: CommandContext): Promise<number> =>
    withAccount(context, async (account) => {
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

async function lookEverywhere({ client }: Account, family: Family, name: string) {
  for (const kind of KINDS[family]) {
    const row = await findTransfer(client, { kind, name });
    if (row) return transferObservation(row);
  }
  return null;
}

type TransferRequest = Pick<Job<TransferRow>, 'token' | 'plan'> & Readonly<{ move: ListedTerms }>;

/** Sends a deposit or a withdrawal as `perform` does, and finds it in its list. */
function performTransfer(
  ordered: TransferRequest,
  flags: MoveFlags,
  account: SendingAccount,
): Promise<number> {
  const { client, context } = account;
  const { move, token } = ordered;
  const { kind } = move;
  const symbol = 'symbol' in move ? move.symbol : (token?.symbol ?? move.token);
  const family = kind.startsWith('cash') ? 'cash' : 'stock';
  const job: Job<TransferRow> = {
    ...ordered,
    look: (name, sentAt) => async () => {
      const row = await findTransfer(client, { kind, name });
      return row && sentObservation(row, { move, symbol }, sentAt);
    },
    unseen: (txHash) => unseenTransfer(kind, txHash),
    print: (row) => printTransfer(row, family, context),
    again: {
      look: (txHash) => goesOn(`drover ${family} show ${txHash}`),
      list: `drover ${family} list`,
    },
  };
  return perform(job, flags, account);
}

const HEAD = ['at', 'operation', 'asset', 'amount', 'credit', 'fee', 'status', 'transaction'];

function printTransfers(
  rows: readonly TransferRow[],
  family: Family,
  { terminal, json }: CommandContext,
): void {
  if (json) return terminal.out(toJson(rows));
  if (rows.length === 0) return terminal.out('none yet');
  const cells = rows
    .map((row) => roundedTransfer(row, family))
    .map((row) =>
      [row.at, row.operation, row.asset, row.amount, row.credit, row.fee, row.status, row.txHash].map(
        (cell) => cell ?? '-',
      ),
    );
  terminal.out(table(HEAD, cells, ['amount', 'credit', 'fee']));
}

/** The row with its amounts rounded, for people. */
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
function printTransfer(row: TransferRow, family: Family, { terminal, json }: CommandContext): void {
  if (json) return terminal.out(toJson(row));
  const told = Object.entries(roundedTransfer(row, family)).filter(([, value]) => value !== null);
  terminal.out(told.map(([name, value]) => `${name.padEnd(14)}${String(value)}`).join('\n'));
}

type TransferByHand = Readonly<{
  fields: Readonly<{ kind: ListedKind; amount: string; cashToken?: string | undefined; symbol?: string }>;
  flags: MoveFlags;
  context: CommandContext;
}>;

/** Hands a transfer to a run; without a state folder `alone` sends it. */
const byHand = ({ fields, flags, context }: TransferByHand, alone: () => Promise<number>): Promise<number> =>
  withCarrier({ kind: fields.kind, flags }, context, (carrier) => {
    if (!carrier) return alone();
    const family = fields.kind.startsWith('cash') ? 'cash' : 'stock';
    const print = (row: object) => printTransfer(row as TransferRow, family, context);
    return handOver({ verb: 'transfers', fields, print, mayRest: false }, flags, carrier);
  });

type CashFlags = MoveFlags & Readonly<{ amount: string; token?: string }>;

/** `drover cash deposit AMOUNT`: cash tokens of the wallet become mUSD. */
export const cashDeposit = (flags: CashFlags, context: CommandContext): Promise<number> =>
  byHand(
    { fields: { kind: 'cashDeposit', amount: flags.amount, cashToken: flags.token }, flags, context },
    () => cashDepositAlone(flags, context),
  );

const cashDepositAlone = (flags: CashFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'cashDeposit', flags }, context, async (account) => {
    const terms = await account.client.config();
    const { token, terms: rules } = pinnedCashToken(terms, account, flags.token);
    const amount = amountOf(flags.amount, { what: 'AMOUNT', places: token.decimals });
    if (rules.depositPaused)
      throw new NotSentError(`deposits of ${token.symbol} are paused. Nothing was sent`);
    requireMinimum(amount, token.symbol, rules);
    const approved = requireSpendable(await walletOf(account), { token, amount, text: moneyText });
    const fee = bpsOf(cash(amount), rules.depositFeeBps ?? 0, 'up');
    const plan = {
      what: `Deposit ${formatDecimal(amount)} ${token.symbol}`,
      facts: [
        ['from', `wallet ${account.venue.userAddress}`],
        ['to', 'mUSD at the venue'],
        ['credit', `${moneyText(amount - fee, 'down')} mUSD`],
        ['fee', `${moneyText(fee, 'up')} mUSD`],
        ['credited', speedOf(isInstantDeposit(terms, rules, amount))],
        approved,
      ],
    } as const;
    const move = { kind: 'cashDeposit', token: token.address, amount } as const;
    return performTransfer({ move, token, plan }, flags, account);
  });

function requireMinimum(amount: bigint, symbol: string, { minAmount }: TokenTerms): void {
  if (minAmount && amount < parseDecimal(minAmount))
    throw new NotSentError(`a deposit must be at least ${minAmount} ${symbol}. Nothing was sent`);
}

/** `drover cash withdraw AMOUNT`: mUSD becomes cash tokens in the wallet. */
export const cashWithdraw = (flags: CashFlags, context: CommandContext): Promise<number> =>
  byHand(
    { fields: { kind: 'cashWithdrawal', amount: flags.amount, cashToken: flags.token }, flags, context },
    () => cashWithdrawAlone(flags, context),
  );

const cashWithdrawAlone = (flags: CashFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'cashWithdrawal', flags }, context, async (account) => {
    const terms = await account.client.config();
    const { token, terms: rules } = pinnedCashToken(terms, account, flags.token);
    const credit = cash(amountOf(flags.amount, { what: 'AMOUNT' }));
    if (rules.withdrawPaused)
      throw new NotSentError(`withdrawals of ${token.symbol} are paused. Nothing was sent`);
    const { mUsd } = await walletOf(account);
    requireEnough(mUsd, {
      needed: credit,
      of: 'mUSD',
      text: moneyText,
      remedy: 'Open orders lock some until they end',
    });
    const payout = payoutOf(credit, rules, token.decimals);
    if (payout <= 0n) throw new NotSentError('nothing would be left after the fee. Nothing was sent');
    const room = rules.withdrawalBuffer;
    const plan = {
      what: `Withdraw ${formatDecimal(credit)} mUSD`,
      facts: [
        ['from', 'mUSD at the venue'],
        ['to', `wallet ${account.venue.userAddress}`],
        ['pays out', `${moneyText(payout, 'down')} ${token.symbol}`],
        ['fee', `${moneyText(credit - payout, 'up')} mUSD`],
        ['paid', speedOf(room == null ? null : payout <= parseDecimal(room, { signed: true }))],
      ],
    } as const;
    const move = { kind: 'cashWithdrawal', token: token.address, amount: credit } as const;
    return performTransfer({ move, token, plan }, flags, account);
  });

/** Amount after the fee, rounded down to the decimals of the token. */
const payoutOf = (credit: Cash, { withdrawFeeBps }: TokenTerms, decimals: number): bigint =>
  roundTo(credit - bpsOf(credit, withdrawFeeBps ?? 0, 'up'), stepOf(decimals), 'down');

type StockFlags = MoveFlags & Readonly<{ symbol: string; amount: string }>;

/** `drover stock deposit SYMBOL AMOUNT`: moves shares from the wallet to the exchange. */
export const stockDeposit = (flags: StockFlags, context: CommandContext): Promise<number> =>
  byHand(
    {
      fields: { kind: 'stockDeposit', amount: flags.amount, symbol: flags.symbol.toUpperCase() },
      flags,
      context,
    },
    () => stockDepositAlone(flags, context),
  );

const stockDepositAlone = (flags: StockFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'stockDeposit', flags }, context, async (account) => {
    const amount = shares(amountOf(flags.amount, { what: 'AMOUNT' }));
    const stock = await stockOf(account, flags.symbol);
    const approved = requireSpendable(await walletOf(account), { token: stock, amount, text: sharesText });
    const plan = {
      what: `Deposit ${formatDecimal(amount)} ${stock.symbol}`,
      facts: [
        ['from', `wallet ${account.venue.userAddress}`],
        ['to', 'the exchange'],
        ['fee', 'none but gas'],
        approved,
      ],
    } as const;
    const move = { kind: 'stockDeposit', symbol: stock.symbol, token: stock.address, amount } as const;
    return performTransfer({ move, plan }, flags, account);
  });

/** `drover stock withdraw SYMBOL AMOUNT`: moves shares from the exchange to the wallet. */
export const stockWithdraw = (flags: StockFlags, context: CommandContext): Promise<number> =>
  byHand(
    {
      fields: { kind: 'stockWithdrawal', amount: flags.amount, symbol: flags.symbol.toUpperCase() },
      flags,
      context,
    },
    () => stockWithdrawAlone(flags, context),
  );

const stockWithdrawAlone = (flags: StockFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'stockWithdrawal', flags }, context, async (account) => {
    const amount = shares(amountOf(flags.amount, { what: 'AMOUNT' }));
    const stock = await stockOf(account, flags.symbol);
    const { tokens } = await walletOf(account);
    requireEnough(holdingOf(tokens, stock.address).exchange, {
      needed: amount,
      of: `${stock.symbol} on the exchange`,
      text: sharesText,
      remedy: 'Open sells lock some until they end',
    });
    const plan = {
      what: `Withdraw ${formatDecimal(amount)} ${stock.symbol}`,
      facts: [
        ['from', 'the exchange'],
        ['to', `wallet ${account.venue.userAddress}`],
        ['fee', 'none but gas'],
        ['note', 'the chain refuses it to an address that is restricted'],
      ],
    } as const;
    const move = { kind: 'stockWithdrawal', symbol: stock.symbol, token: stock.address, amount } as const;
    return performTransfer({ move, plan }, flags, account);
  });
