import { EXIT } from '../exitCodes.ts';
import { bringsOf, requireSending, type Account } from './account.ts';
import { confirm, type Plan } from './confirm.ts';
import type { Move } from './move.ts';
import { openSending, type Sending } from './sending.ts';
import { sentOnce } from './sentOnce.ts';
import { sightOfTrace } from './trace.ts';
import { underWay } from './underWay.ts';
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
  /** How to look again: at its transaction, in words, and by a command that finds it without. */
  again: Readonly<{ look: (txHash: string) => string; list: string }>;
}>;

export const goesOn = (command: string): string => `\`${command} --wait\` goes on looking`;

/** Shows a plan, asks, sends once, waits for the end and prints it. The exit code tells how it ended. */
export async function perform<Row extends Told>(
  job: Job<Row>,
  flags: MoveFlags,
  account: Account,
): Promise<number> {
  const sending = await openSending(account);
  try {
    confirm(job.plan, flags.yes ?? false, account.context);
    return await carryOut(job, flags, { ...account, sending });
  } finally {
    await sending.close();
  }
}

type Told = Readonly<{ status: string | null }>;
type Sender = Account & Readonly<{ sending: Sending }>;

async function carryOut<Row extends Told>(
  job: Job<Row>,
  { wait }: MoveFlags,
  sender: Sender,
): Promise<number> {
  const { context, sending } = sender;
  const txHash = await sent(job, sender);
  context.terminal.err(`sent: ${txHash}`);
  if (wait === false) {
    job.print(job.unseen(txHash));
    return EXIT.done;
  }
  const look = withReverts(job, txHash, sending.traceOf);
  const { sight, interrupted } = await watch(look, sender);
  job.print(sight?.row ?? job.unseen(txHash));
  if (interrupted) context.terminal.err(`still under way: ${job.again.look(txHash)}`);
  return interrupted ? EXIT.interrupted : exitOf(sight);
}

/** Where the chain can be asked, a transaction that did nothing is told with its cause, whether the venue shows it or not. */
function withReverts<Row extends Told>(
  job: Job<Row>,
  txHash: string,
  traceOf: Sending['traceOf'],
): Look<Row> {
  const look = job.look(txHash);
  return async () => {
    const sight = await look();
    if (sight?.end || traceOf === null) return sight;
    const traced = sightOfTrace(await traceOf(txHash), (status) => ({
      ...(sight?.row ?? job.unseen(txHash)),
      status,
    }));
    return traced?.end === 'failed' ? traced : sight;
  };
}

export const exitOf = (sight: Sight<unknown> | null): number =>
  sight?.end === 'failed' ? EXIT.failed : EXIT.done;

/** Sends a move, unless the kill file has come since the question. */
async function sent<Row>({ move, again }: Job<Row>, { context, loaded, sending }: Sender): Promise<string> {
  requireSending(loaded, bringsOf(move.kind));
  const look = `\`${again.list}\` and \`drover balance\``;
  const { txHash } = await underWay(context, look, () => sentOnce(() => sending.submit(move), { look }));
  return txHash;
}
