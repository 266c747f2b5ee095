import type { CommandContext } from '../context.ts';
import type { EpochMs } from '../../core/brand.ts';
import { OutcomeUnknownError } from '../../core/errors.ts';
import { EXIT } from '../exitCodes.ts';
import type { SendingAccount } from './account.ts';
import { confirm, type Plan } from './confirm.ts';
import { checkContracts, type MovedToken } from './contracts.ts';
import { lookMsOf, traceWatch, type ShownRow, watch, type Look, type Observation } from './chainTrace.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { StatedToken } from './market.ts';
import type { Move, MoveReceipt } from './move.ts';
import { openSending, type ManualSend, sentOnce } from './sending.ts';

/**
 * Waits for a send. The first Ctrl-C does not end it, the second one does; each prints what that means. `look`: commands that
 * show what became of it.
 */
export async function underWay<T>(
  { terminal, stopSignal }: CommandContext,
  look: string,
  send: () => Promise<T>,
): Promise<T> {
  const signal = stopSignal(() =>
    terminal.err(
      `ended in the middle of the send. The venue may or may not have it: check with ${look} for some minutes, and do not ` +
        'send it again before you know',
    ),
  );
  const tell = () =>
    terminal.err(
      'the send is under way: waiting for its answer. A second Ctrl-C ends the program without knowing the outcome',
    );
  signal.addEventListener('abort', tell, { once: true });
  try {
    return await send();
  } finally {
    signal.removeEventListener('abort', tell);
    stopSignal();
  }
}

/**
 * `wait` is false with `--no-wait`. `state`: folder of the run whose kill file counts. `reason`: for the journal. `token`: cash token,
 * by symbol or address.
 */
export type MoveFlags = Readonly<{
  yes?: boolean;
  wait?: boolean;
  state?: string;
  reason?: string;
  token?: string;
}>;

export type Job<Row> = Readonly<{
  move: Move;
  /** Cash token that it moves, with the decimals that the venue states. */
  token?: StatedToken | undefined;
  plan: Plan;
  /** Finds the outcome of a transaction sent at `sentAt`. */
  look: (txHash: string, sentAt: EpochMs) => Look<Row>;
  /** True when the receipt of a configured node decides the end, not the venue. */
  byReceipt?: true;
  /** Row to print while the transaction has not been seen. */
  unseen: (txHash: string) => Row;
  print: (row: Row) => void;
  /** Advice for looking again: at its transaction, in words, and by a command that needs no hash. */
  again: Readonly<{ look: (txHash: string) => string; list: string }>;
}>;

export const goesOn = (command: string): string => `\`${command} --wait\` continues to wait`;

/** Shows a plan, asks, sends once, waits for the end and prints it. The exit code tells how it ended. */
export async function perform<Row extends ShownRow>(
  job: Job<Row>,
  flags: MoveFlags,
  account: SendingAccount,
): Promise<number> {
  const sending = await openSending(account, job.move);
  try {
    if (job.token) await sending.requirePlaces(job.token);
    const { plan } = job;
    const { unfollowed } = sending;
    const { chain } = sending;
    const contracts = await checkContracts(tokensOf(job, flags), { loaded: account.loaded, chain });
    const facts = [...contracts.facts, ...plan.facts, ...(unfollowed ? [unfollowed] : [])];
    confirm({ what: plan.what, facts }, flags.yes ?? false, account.context);
    contracts.keep();
    return await carryOut(job, flags, { ...account, sending });
  } finally {
    await sending.close();
  }
}

/** The stock and the cash token that a move is about. */
function tokensOf<Row>({ move, token }: Job<Row>, { token: wanted }: MoveFlags): readonly MovedToken[] {
  const tokens: MovedToken[] = [];
  if (move.kind === 'order')
    tokens.push({ symbol: move.terms.symbol, address: move.terms.stock, isStock: true });
  if ('symbol' in move) tokens.push({ symbol: move.symbol, address: move.token, isStock: true });
  if (token) tokens.push({ ...token, isStock: false, ...(wanted === undefined ? {} : { wanted }) });
  return tokens;
}

type SenderAccount = SendingAccount & Readonly<{ sending: ManualSend }>;

async function carryOut<Row extends ShownRow>(
  job: Job<Row>,
  flags: MoveFlags,
  sender: SenderAccount,
): Promise<number> {
  const { context, clock } = sender;
  const at = clock.now();
  const { txHash, signed } = await sent(job, sender);
  context.terminal.err(`sent: ${txHash}`);
  const { byReceipt = false } = job;
  const seeing = { look: job.look(txHash, at), unseen: job.unseen(txHash), byReceipt };
  const { chain } = sender.sending;
  const traceOf: Chain['trace'] | null = chain && ((...asked) => chain.trace(...asked));
  return follow(
    {
      txHash,
      look: traceWatch(seeing, { txHash, signed, at, lookMs: lookMsOf(sender), clock, traceOf }),
      unseen: seeing.unseen,
      print: job.print,
      again: job.again.look(txHash),
      doubt: `Check with ${lookFor(job)} for some minutes, and do not send it again before you know`,
    },
    flags,
    sender,
  );
}

const lookFor = <Row>({ again }: Job<Row>): string => `\`${again.list}\` and \`drover balance\``;

/** Transaction that has been sent. */
type SentMove<Row> = Readonly<{
  txHash: string;
  look: Look<Row>;
  /** Row to print while it has not been seen. */
  unseen: Row;
  print: (row: Row) => void;
  /** Advice on how to look again, and on what to do when the outcome stays unknown. */
  again: string;
  doubt: string;
}>;

/**
 * Waits for the end of a send, unless told not to, and prints it. Returns the exit code.
 * @throws {OutcomeUnknownError} when further looking cannot show the outcome
 */
export async function follow<Row>(
  { txHash, look, unseen, print, again, doubt }: SentMove<Row>,
  { wait }: Pick<MoveFlags, 'wait'>,
  account: SendingAccount,
): Promise<number> {
  if (wait === false) {
    print(unseen);
    return EXIT.done;
  }
  const { observation, interrupted } = await watch(look, account);
  if (observation?.end === 'unknown')
    throw new OutcomeUnknownError(`${observation.status}. ${doubt}`, { txHash });
  print(observation?.row ?? unseen);
  if (interrupted) account.context.terminal.err(`still under way: ${again}`);
  return interrupted ? EXIT.interrupted : exitOf(observation);
}

const EXITS = { done: EXIT.done, failed: EXIT.failed, unknown: EXIT.venue } as const;

export const exitOf = (observation: Observation<unknown> | null): number => EXITS[observation?.end ?? 'done'];

async function sent<Row>(job: Job<Row>, { context, sending }: SenderAccount): Promise<MoveReceipt> {
  const look = lookFor(job);
  return underWay(context, look, () => sentOnce(() => sending.submit(), { look }));
}
