import {
  DroverError,
  messageOf,
  NotSentError,
  OutcomeUnknownError,
  SafetyError,
  VenueRefusedError,
} from '../../core/errors.ts';
import { silentLog } from '../../core/log.ts';
import type { SendGate, SendOutcome, SignedTransaction } from '../../domain/venue.ts';
import type { AccountNonce } from '../../wallet/replacements.ts';
import type { CommandContext } from '../../process/context.ts';
import {
  deadlineAt,
  missing,
  openChain as openChainOf,
  openWallet as openWalletOf,
  partsAt,
  type OwnWallet,
  type SubmissionParts,
} from '../environment/submission.ts';
import { EXIT } from '../../process/exitCodes.ts';
import type { Connection, SendingConnection } from '../environment/connect.ts';
import { requireSending, type Risk } from './account.ts';
import { exitOf, watch, type Look } from './chainTrace.ts';

/** The gate for sends without a deadline at the venue. */
export const withoutDeadline = (gate: SendGate) => ({
  open() {
    const permit = gate.open();
    return 'stop' in permit ? permit : ({ go: true } as const);
  },
  commit: (request: Parameters<SendGate['commit']>[0]) => gate.commit(request),
});

/** A transaction that the wallet has sent. `signed`: its signer and nonce. */
type WalletReceipt = Readonly<{ txHash: string; signed?: AccountNonce }>;

type WalletSend = Readonly<{
  /** `reduces` for sends that must be possible even with a kill file. */
  risk: Risk;
  /** Makes a transaction durable before its first byte is sent. */
  keep?: (transaction: SignedTransaction) => void;
}>;

/**
 * Sends one of the wallet's own transactions once: checks the kill file again just before the first byte, and prints the hash
 * before sending.
 * @throws {OutcomeUnknownError} when the chain may have it; {SafetyError} if the kill file exists; otherwise the refusal
 */
export async function sendFromWallet(
  { clock, loaded, context, venue }: SendingConnection,
  { risk, keep }: WalletSend,
  send: (gate: SendGate) => Promise<SendOutcome>,
): Promise<WalletReceipt> {
  const own: { transaction?: SignedTransaction } = {};
  const outcome = await send({
    open(prepared) {
      requireSending(loaded, risk);
      return { deadline: prepared ?? deadlineAt(loaded.config, clock) };
    },
    commit(request) {
      if (!('txHash' in request)) return;
      keep?.(request);
      own.transaction = request;
      context.terminal.err(`signed: ${request.txHash}`);
    },
  });
  const { transaction } = own;
  if (outcome.kind !== 'accepted') throw failureOf(outcome, transaction?.txHash);
  const signed = transaction && { from: venue.userAddress, nonce: transaction.nonce };
  return { txHash: outcome.txHash, ...(signed && { signed }) };
}

/** The error for a send that was not accepted. */
function failureOf(
  { kind, reason, ...outcome }: Exclude<SendOutcome, { kind: 'accepted' }>,
  txHash: string | undefined,
): DroverError {
  if (outcome.error) return outcome.error;
  if ('alarm' in outcome && outcome.alarm) return new SafetyError(reason);
  if (kind === 'refused') return new VenueRefusedError(reason);
  if (kind === 'stopped') return new NotSentError(reason);
  if (txHash === undefined) return new OutcomeUnknownError(reason);
  return new OutcomeUnknownError(
    `${reason}. Its transaction is ${txHash}: \`drover wallet show ${txHash} --wait\` asks the chain for it`,
    { txHash },
  );
}

function partsOf(account: Connection): SubmissionParts {
  const { loaded, context } = account;
  const { state: stateDir } = loaded.config;
  const onOfferAgain = ({ txHash, nonce }: SignedTransaction) =>
    context.terminal.err(
      `offered again: transaction ${txHash} of an earlier send (nonce ${nonce}), which the node had lost`,
    );
  const reports = { onUnlinked: () => undefined, onOfferAgain };
  return partsAt(account, { loaded, context, stateDir, log: silentLog, reports });
}

/** The chain of the config's venue. @throws what `openChain` of the environment throws */
export const openChain = (account: Connection) => openChainOf(partsOf(account));

/** The wallet of the config with its node, held by this process until it is closed. */
export async function openWallet(account: SendingConnection): Promise<OwnWallet> {
  if (account.venue.rpcUrl === undefined) missing('venue.rpcUrl');
  return openWalletOf(partsOf(account));
}

/** Texts for a send without a response. `what`: the request, if the failure does not name it. */
export type DoubtText = Readonly<{ what?: string; look: string }>;

/** Sends once. A send without a response is never repeated, because it may have been accepted: only a read shows it. */
export async function sentOnce<T>(send: () => Promise<T>, { what, look }: DoubtText): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof DroverError) || error.effect !== 'unknown') throw error;
    throw new OutcomeUnknownError(
      `${what === undefined ? '' : `${what}: `}${messageOf(error)}. The venue may or may not have it: check with ${look} ` +
        'for some minutes, and do not send it again before you know',
      error.details,
      { cause: error },
    );
  }
}

/**
 * Waits for a send. The first Ctrl-C does not end it, the second one does; each prints what that means. `look`: commands that
 * show the outcome.
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

export const goesOn = (command: string): string => `\`${command} --wait\` continues to wait`;

/** A transaction that the wallet has sent. */
type SentTransaction<Row> = Readonly<{
  txHash: string;
  look: Look<Row>;
  /** Row to print until the transaction is seen. */
  unseen: Row;
  print: (row: Row) => void;
  /** Advice on how to check again, and what to do if the outcome stays unknown. */
  again: string;
  doubt: string;
}>;

/**
 * Waits for the end of a transaction, unless told not to, and prints it. Returns the exit code.
 * @throws {OutcomeUnknownError} when further polling cannot show the outcome
 */
export async function follow<Row>(
  { txHash, look, unseen, print, again, doubt }: SentTransaction<Row>,
  { wait = true }: Readonly<{ wait?: boolean }>,
  account: SendingConnection,
): Promise<number> {
  if (!wait) {
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
