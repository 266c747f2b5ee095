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
  findOperation,
  operationsOf,
  operationObservation,
  sentObservation,
  unseenOperation,
  type RequestedAmount,
  type Family,
  type OperationRow,
  type OperationQuery,
} from '../../transfers/transfers.ts';
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
  allowanceFact,
  requireAllowance,
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
const KINDS = ['deposit', 'withdrawal'] as const;

/** `drover cash list`, `drover stock list`: deposits and withdrawals together, newest first. */
export const listOperations =
  (family: Family) =>
  ({ limit = 20 }: { limit?: number }, context: CommandContext): Promise<number> =>
    withAccount(context, async ({ client }) => {
      const most = Math.min(Math.max(limit, 1), PAGE_MAX);
      const pages = await Promise.all(
        KINDS.map((operation) => operationsOf(client, { family, operation }, { page: 1, limit: most })),
      );
      const rows = pages
        .flatMap(({ rows: part }) => part)
        .sort((a, b) => (b.at ?? '').localeCompare(a.at ?? ''))
        .slice(0, most);
      printOperations(rows, context);
      return EXIT.done;
    });

export type ShowFlags = Readonly<{ id: string; wait?: boolean }>;

/** `drover cash show`, `drover stock show`: one, by its transaction or its operation id. */
export const showOperation =
  (family: Family) =>
  ({ id, wait = false }: ShowFlags, context: CommandContext): Promise<number> =>
    withAccount(context, async (account) => {
      const look = () => lookEverywhere(account, family, id);
      const first = await look();
      if (!first && !wait)
        throw new ConfigError(
          `${id} is not known (yet). It appears when the indexer has seen it; --wait waits for that`,
        );
      const watched = wait ? await watch(look, account) : { observation: first, interrupted: false };
      if (watched.observation) printOperation(watched.observation.row, context);
      return watched.interrupted ? EXIT.interrupted : exitOf(watched.observation);
    });

async function lookEverywhere({ client }: Account, family: Family, name: string) {
  for (const operation of KINDS) {
    const row = await findOperation(client, { family, operation, name });
    if (row) return operationObservation(row);
  }
  return null;
}

type OperationRequest = Pick<Job<OperationRow>, 'move' | 'token' | 'plan'> &
  Pick<OperationQuery, 'family' | 'operation'> &
  Readonly<{ asked: RequestedAmount }>;

/** Sends a deposit or a withdrawal as `perform` does, and looks for it in its list. */
export function performOperation(
  { family, operation, asked, ...ordered }: OperationRequest,
  flags: MoveFlags,
  account: SendingAccount,
): Promise<number> {
  const { client, context } = account;
  const job: Job<OperationRow> = {
    ...ordered,
    look: (name, sentAt) => async () => {
      const row = await findOperation(client, { family, operation, name });
      return row && sentObservation(row, asked, sentAt);
    },
    unseen: (txHash) => unseenOperation(operation, txHash),
    print: (row) => printOperation(row, context),
    again: {
      look: (txHash) => goesOn(`drover ${family} show ${txHash}`),
      list: `drover ${family} list`,
    },
  };
  return perform(job, flags, account);
}

const HEAD = ['at', 'operation', 'asset', 'amount', 'credit', 'fee', 'status', 'transaction'];

function printOperations(rows: readonly OperationRow[], { terminal, json }: CommandContext): void {
  if (json) return terminal.out(toJson(rows));
  if (rows.length === 0) return terminal.out('none yet');
  const cells = rows.map((row) =>
    [row.at, row.operation, row.asset, row.amount, row.credit, row.fee, row.status, row.txHash].map(
      (cell) => cell ?? '-',
    ),
  );
  terminal.out(table(HEAD, cells, ['amount', 'credit', 'fee']));
}

/** With `--json` the row itself. */
function printOperation(row: OperationRow, { terminal, json }: CommandContext): void {
  if (json) return terminal.out(toJson(row));
  const told = Object.entries(row).filter(([, value]) => value !== null);
  terminal.out(told.map(([name, value]) => `${name.padEnd(14)}${String(value)}`).join('\n'));
}

export type CashFlags = MoveFlags & Readonly<{ amount: string; token?: string }>;

/** `drover cash deposit AMOUNT`: cash tokens of the wallet become mUSD. */
export const cashDeposit = (flags: CashFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'cashDeposit', flags }, context, async (account) => {
    const terms = await account.client.config();
    const { token, terms: rules } = pinnedCashToken(terms, account, flags.token);
    const amount = amountOf(flags.amount, { what: 'AMOUNT', places: token.decimals });
    if (rules.depositPaused)
      throw new NotSentError(`deposits of ${token.symbol} are paused. Nothing was sent`);
    requireMinimum(amount, token.symbol, rules);
    const { tokens, spender } = await walletOf(account);
    const held = holdingOf(tokens, token.address);
    requireEnough(held.wallet, { needed: amount, of: `${token.symbol} in the wallet` });
    requireAllowance(held, { amount, token, spender });
    const fee = bpsOf(cash(amount), rules.depositFeeBps ?? 0, 'up');
    const plan = {
      what: `Deposit ${formatDecimal(amount)} ${token.symbol}`,
      facts: [
        ['from', `wallet ${account.venue.userAddress}`],
        ['to', 'mUSD at the venue'],
        ['credit', `${formatDecimal(amount - fee)} mUSD`],
        ['fee', `${formatDecimal(fee)} mUSD`],
        ['credited', speedOf(isInstantDeposit(terms, rules, amount))],
        allowanceFact(held, spender),
      ],
    } as const;
    const asked = { names: [token.address, token.symbol], amount };
    const move = { kind: 'cashDeposit', token: token.address, amount } as const;
    return performOperation(
      { family: 'cash', operation: 'deposit', asked, move, token, plan },
      flags,
      account,
    );
  });

function requireMinimum(amount: bigint, symbol: string, { minAmount }: TokenTerms): void {
  if (minAmount && amount < parseDecimal(minAmount))
    throw new NotSentError(`a deposit must be at least ${minAmount} ${symbol}. Nothing was sent`);
}

/** `drover cash withdraw AMOUNT`: mUSD becomes cash tokens in the wallet. */
export const cashWithdraw = (flags: CashFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'cashWithdrawal', flags }, context, async (account) => {
    const terms = await account.client.config();
    const { token, terms: rules } = pinnedCashToken(terms, account, flags.token);
    const credit = cash(amountOf(flags.amount, { what: 'AMOUNT' }));
    if (rules.withdrawPaused)
      throw new NotSentError(`withdrawals of ${token.symbol} are paused. Nothing was sent`);
    const { mUsd } = await walletOf(account);
    requireEnough(mUsd, { needed: credit, of: 'mUSD', remedy: 'Open orders lock some until they end' });
    const payout = payoutOf(credit, rules, token.decimals);
    if (payout <= 0n) throw new NotSentError('nothing would be left after the fee. Nothing was sent');
    const room = rules.withdrawalBuffer;
    const plan = {
      what: `Withdraw ${formatDecimal(credit)} mUSD`,
      facts: [
        ['from', 'mUSD at the venue'],
        ['to', `wallet ${account.venue.userAddress}`],
        ['pays out', `${formatDecimal(payout)} ${token.symbol}`],
        ['fee', `${formatDecimal(credit - payout)} mUSD`],
        ['paid', speedOf(room == null ? null : payout <= parseDecimal(room, { signed: true }))],
      ],
    } as const;
    const asked = { names: [token.address, token.symbol], credit };
    const move = { kind: 'cashWithdrawal', token: token.address, amount: credit } as const;
    return performOperation(
      { family: 'cash', operation: 'withdrawal', asked, move, token, plan },
      flags,
      account,
    );
  });

/** Amount after the fee, rounded down to the decimals of the token. */
const payoutOf = (credit: Cash, { withdrawFeeBps }: TokenTerms, decimals: number): bigint =>
  roundTo(credit - bpsOf(credit, withdrawFeeBps ?? 0, 'up'), stepOf(decimals), 'down');

export type StockFlags = MoveFlags & Readonly<{ symbol: string; amount: string }>;

/** `drover stock deposit SYMBOL AMOUNT`: shares of the wallet on to the exchange. */
export const stockDeposit = (flags: StockFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'stockDeposit', flags }, context, async (account) => {
    const amount = shares(amountOf(flags.amount, { what: 'AMOUNT' }));
    const stock = await stockOf(account, flags.symbol);
    const { tokens, spender } = await walletOf(account);
    const held = holdingOf(tokens, stock.address);
    requireEnough(held.wallet, { needed: amount, of: `${stock.symbol} in the wallet` });
    requireAllowance(held, { amount, token: stock, spender });
    const plan = {
      what: `Deposit ${formatDecimal(amount)} ${stock.symbol}`,
      facts: [
        ['from', `wallet ${account.venue.userAddress}`],
        ['to', 'the exchange'],
        ['fee', 'none but gas'],
        allowanceFact(held, spender),
      ],
    } as const;
    const asked = { names: [stock.address, stock.symbol], amount };
    const move = { kind: 'stockDeposit', symbol: stock.symbol, token: stock.address, amount } as const;
    return performOperation({ family: 'stock', operation: 'deposit', asked, move, plan }, flags, account);
  });

/** `drover stock withdraw SYMBOL AMOUNT`: shares on the exchange into the wallet. */
export const stockWithdraw = (flags: StockFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'stockWithdrawal', flags }, context, async (account) => {
    const amount = shares(amountOf(flags.amount, { what: 'AMOUNT' }));
    const stock = await stockOf(account, flags.symbol);
    const { tokens } = await walletOf(account);
    requireEnough(holdingOf(tokens, stock.address).exchange, {
      needed: amount,
      of: `${stock.symbol} on the exchange`,
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
    const asked = { names: [stock.address, stock.symbol], amount };
    const move = { kind: 'stockWithdrawal', symbol: stock.symbol, token: stock.address, amount } as const;
    return performOperation({ family: 'stock', operation: 'withdrawal', asked, move, plan }, flags, account);
  });
