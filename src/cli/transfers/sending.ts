import { existsSync } from 'node:fs';
import { DELEGATION_ENABLED } from '../../api/assumptions/venueRules.ts';
import type { VenueClient } from '../../api/client.ts';
import {
  DroverError,
  messageOf,
  NotSentError,
  OutcomeUnknownError,
  SafetyError,
  VenueRefusedError,
} from '../../core/errors.ts';
import { notionalOf, type Cash } from '../../core/amount.ts';
import { silentLog } from '../../core/log.ts';
import type { TransferPort } from '../../domain/transfers/transfer.ts';
import type { SendGate, SendOutcome, SignedTransaction, Venue } from '../../domain/venue.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { LoadedConfig } from '../config/load.ts';
import { journalFile } from '../environment/ownership.ts';
import {
  deadlineAt,
  missing,
  openChain as openChainOf,
  openSubmission,
  openWallet as openWalletOf,
  partsAt,
  type OwnWallet,
  type SubmissionParts,
} from '../environment/submission.ts';
import { requireSending, riskOf, type Account, type Risk, type SendingAccount } from './account.ts';
import { linkCommand, type Move, type MoveReceipt } from './move.ts';
import { requirePlaces, type StatedToken } from './market.ts';

/** Ports by which an account sends, and what it can read from the chain. */
export type ManualSend = Readonly<{
  /** Sends it once, behind the gate of `sendByHand`. */
  submit: () => Promise<MoveReceipt>;
  /** Compares the decimals of a token with the chain's, where the wallet signs. @throws {VenueRefusedError} */
  requirePlaces: (token: StatedToken) => Promise<void>;
  /** Chain by the configured node; null without one. */
  chain: Chain | null;
  /** Fact of the plan where the journal of a run cannot follow what is sent; null where it can, or where there is none. */
  unfollowed: readonly [name: string, value: string] | null;
  close(): Promise<void>;
}>;

/**
 * Opens the ports by which a run of this config sends, for a move that no run follows.
 * @throws {NotSentError} when One Click is off
 * @throws {ConfigError} when a value is missing for calldata
 * @throws {SafetyError} when the node is of another chain, the key of another wallet, or another process sends for it
 */
export async function openSending(account: SendingAccount, move: Move): Promise<ManualSend> {
  const { client, venue, loaded, context } = account;
  const isCalldata = loaded.config.submission === 'calldata';
  if (isCalldata && venue.rpcUrl === undefined) missing('venue.rpcUrl');
  if (isCalldata && venue.router === undefined) missing('venue.router');
  if (!isCalldata) await requireOneClick(client);
  const unlisted = "The transaction was sent, but the venue's lists do not show it before it is linked";
  const onUnlinked = (txHash: string, why: string) =>
    context.terminal.err(`${why}. ${unlisted}: ${linkCommand(move, txHash) ?? ''}`);
  const parts = partsOf(account, onUnlinked);
  // Approvals of the treasury are for runs: by hand `drover wallet approve` sends them.
  const config = { ...parts.config, treasury: {} };
  const { chain, close: closePorts, ...ports } = await openSubmission({ ...parts, config });
  return {
    submit: () => sendByHand(account, { move, risk: riskOf(move.kind) }, sendBy(ports, move)),
    requirePlaces: async (token) => {
      if (isCalldata && chain) await requirePlaces(token, chain);
    },
    chain,
    unfollowed: isFunded(move) ? unfollowedIn(loaded) : null,
    close: closePorts,
  };
}

/** True for an order whose money or shares do not come from the venue: the books of a run have no place for it. */
const isFunded = (move: Move): boolean => move.kind === 'order' && move.terms.funding !== undefined;

const unfollowedIn = ({ config: { state } }: LoadedConfig): ManualSend['unfollowed'] =>
  state === undefined || !existsSync(journalFile(state))
    ? null
    : ['journal', `that in ${state} cannot follow it: the next start reports it as an external order`];

type Ports = Readonly<{ venue: Venue; transferPort: TransferPort }>;

/** @throws {NotSentError} when One Click is off */
async function requireOneClick(client: VenueClient): Promise<void> {
  const { status } = await client.oneClickStatus();
  if (status !== DELEGATION_ENABLED)
    throw new NotSentError(
      `One Click is off (${status}): \`drover oneclick enable\` turns it on, for which signing.allow must name ` +
        'delegation. Nothing was sent',
    );
}

const sendBy =
  ({ venue, transferPort }: Ports, move: Move) =>
  (gate: SendGate): Promise<SendOutcome> => {
    if (move.kind === 'order') return venue.place(move.terms, gate);
    if (move.kind === 'cancel') return venue.cancel(move.orderId, gate);
    return transferPort.submit(move, withoutDeadline(gate));
  };

/** The gate for sends without a deadline at the venue. */
export const withoutDeadline = (gate: SendGate) => ({
  open() {
    const permit = gate.open();
    return 'stop' in permit ? permit : ({ go: true } as const);
  },
  commit: (request: Parameters<SendGate['commit']>[0]) => gate.commit(request),
});

type HandSend = Readonly<{
  /** `reduces` for sends that must leave even beside a kill file. */
  risk: Risk;
  /** Move whose transaction may need a link to the key. */
  move?: Move;
  /** Makes a transaction durable before its first byte leaves. */
  keep?: (transaction: SignedTransaction) => void;
}>;

/**
 * Sends once, behind the gate of commands by hand: the kill file is checked again just before the first byte, and the hash
 * of a transaction that the wallet signs is printed before it leaves.
 * @throws {OutcomeUnknownError} when the venue may have it; {SafetyError} beside the kill file; else the refusal
 */
export async function sendByHand(
  { clock, loaded, context, venue }: SendingAccount,
  { risk, move, keep }: HandSend,
  send: (gate: SendGate) => Promise<SendOutcome>,
): Promise<MoveReceipt> {
  const own: { transaction?: SignedTransaction } = {};
  const outcome = await send({
    open(prepared) {
      requireSending(loaded, risk);
      return { deadline: prepared ?? deadlineAt(loaded.config, clock), ...(move ? valueOf(move) : {}) };
    },
    commit(request) {
      if (!('txHash' in request)) return;
      keep?.(request);
      own.transaction = request;
      context.terminal.err(`signed: ${request.txHash}`);
    },
  });
  const { transaction } = own;
  if (outcome.kind === 'accepted') {
    const signed = transaction && { from: venue.userAddress, nonce: transaction.nonce };
    return { txHash: outcome.txHash, ...(signed && { signed }) };
  }
  const txHash = transaction?.txHash;
  const link = move && txHash !== undefined && outcome.kind === 'unknown' ? linkCommand(move, txHash) : null;
  if (link !== null) context.terminal.err(`if the chain has it, link it to the key: ${link}`);
  throw failureOf(outcome, txHash);
}

/** Value of an order in mUSD, as far as its terms alone state it. */
function valueOf(move: Move): { worth?: Cash } {
  if (move.kind !== 'order') return {};
  const { terms } = move;
  if (terms.type === 'limit') return { worth: notionalOf(terms.quantity, terms.price, 'up') };
  return terms.side === 'buy' ? { worth: terms.notional } : {};
}

/** The error that describes a send that was not accepted. */
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

const partsOf = (
  account: Account,
  onUnlinked: SubmissionParts['reports']['onUnlinked'] = () => undefined,
): SubmissionParts => {
  const { loaded, context } = account;
  const { state: stateDir } = loaded.config;
  const onOfferAgain = ({ txHash, nonce }: SignedTransaction) =>
    context.terminal.err(
      `offered again: transaction ${txHash} of an earlier send (nonce ${nonce}), which the node had lost`,
    );
  const reports = { onUnlinked, onOfferAgain };
  return partsAt(account, { loaded, context, stateDir, log: silentLog, reports });
};

/** The chain of the config's venue. @throws what `openChain` of the environment throws */
export const openChain = (account: Account) => openChainOf(partsOf(account));

/** The wallet of the config with its node, held by this process until it is closed. */
export async function openWallet(account: SendingAccount): Promise<OwnWallet> {
  if (account.venue.rpcUrl === undefined) missing('venue.rpcUrl');
  return openWalletOf(partsOf(account));
}

/** Texts for a send without an answer. `what`: the request, where the failure does not name it. */
export type DoubtText = Readonly<{ what?: string; look: string }>;

/** Sends once. A send without an answer is never repeated, because it may have been accepted: only a look shows that. */
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
