import { ConfigError } from '../../../core/errors.ts';
import type { CommandContext } from '../../context.ts';
import { EXIT } from '../../exitCodes.ts';
import { toJson, table } from '../../output.ts';
import { withAccount, type Account, type SendingAccount } from '../../transfers/account.ts';
import {
  findOperation,
  operationsOf,
  sightOf,
  sightOfSent,
  unseenOperation,
  type RequestedAmount,
  type Family,
  type OperationRow,
  type Wanted,
} from '../../transfers/transfers.ts';
import { exitOf, goesOn, perform, type Job, type MoveFlags } from '../../transfers/perform.ts';
import { watch } from '../../transfers/watch.ts';

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
      const watched = wait ? await watch(look, account) : { sight: first, interrupted: false };
      if (watched.sight) printOperation(watched.sight.row, context);
      return watched.interrupted ? EXIT.interrupted : exitOf(watched.sight);
    });

async function lookEverywhere({ client }: Account, family: Family, name: string) {
  for (const operation of KINDS) {
    const row = await findOperation(client, { family, operation, name });
    if (row) return sightOf(row);
  }
  return null;
}

type Ordered = Pick<Job<OperationRow>, 'move' | 'plan'> &
  Pick<Wanted, 'family' | 'operation'> &
  Readonly<{ asked: RequestedAmount }>;

/** Sends a deposit or a withdrawal as `perform` does, and looks for it in its list. */
export function performOperation(
  { family, operation, asked, ...ordered }: Ordered,
  flags: MoveFlags,
  account: SendingAccount,
): Promise<number> {
  const { client, context } = account;
  const job: Job<OperationRow> = {
    ...ordered,
    look: (name, sentAt) => async () => {
      const row = await findOperation(client, { family, operation, name });
      return row && sightOfSent(row, asked, sentAt);
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
