import { DroverError, messageOf, OutcomeUnknownError } from '../../core/errors.ts';
import { EXIT } from '../exitCodes.ts';
import { requireSender, submitOf, type Account } from './account.ts';
import { confirm, type Plan } from './confirm.ts';
import type { Move } from './move.ts';
import { watch, type Look, type Sight } from './watch.ts';

/** `wait` is false with `--no-wait`. */
export type MoveFlags = Readonly<{ yes?: boolean; wait?: boolean }>;

export type Job<Row> = Readonly<{
  move: Move;
  plan: Plan;
  /** Looks for what the transaction did. */
  look: (txHash: string) => Look<Row>;
  /** What is printed of a transaction of which nothing has been seen yet. */
  unseen: (txHash: string) => Row;
  print: (row: Row) => void;
  /** The command that looks again: `drover cash show`. `list` finds it without its transaction. */
  again: Readonly<{ show: string; list: string }>;
}>;

/** Shows a plan, asks, sends once, waits for the end and prints it. The exit code tells how it ended. */
export async function perform<Row>(job: Job<Row>, flags: MoveFlags, account: Account): Promise<number> {
  const { context } = account;
  await requireSender(account);
  confirm(job.plan, flags.yes ?? false, context);
  // From here on the first Ctrl-C stops the waiting, and never the sending.
  context.stopSignal();
  const txHash = await sentOnce(job, account);
  context.terminal.err(`sent: ${txHash}`);
  if (flags.wait === false) {
    job.print(job.unseen(txHash));
    return EXIT.done;
  }
  const { sight, interrupted } = await watch(job.look(txHash), account);
  job.print(sight?.row ?? job.unseen(txHash));
  if (interrupted)
    context.terminal.err(`still under way: \`${job.again.show} ${txHash} --wait\` goes on looking`);
  return interrupted ? EXIT.interrupted : exitOf(sight);
}

export const exitOf = (sight: Sight<unknown> | null): number =>
  sight?.end === 'failed' ? EXIT.failed : EXIT.done;

/** A send is never repeated: one without an answer may have been taken, and only looking can tell. */
async function sentOnce<Row>({ move, again }: Job<Row>, account: Account): Promise<string> {
  try {
    return (await submitOf(account)(move)).txHash;
  } catch (error) {
    if (!(error instanceof DroverError) || error.effect !== 'unknown') throw error;
    throw new OutcomeUnknownError(
      `${messageOf(error)}. It may have been taken or not: look with \`${again.list}\` and \`drover balance\` for some ` +
        'minutes, and do not send it again before you know',
      error.details,
      { cause: error },
    );
  }
}
