import { epochMs, toIso, type EpochSeconds } from '../../../core/brand.ts';
import { ConfigError, closingAfter } from '../../../core/errors.ts';
import type { LoggedTransaction } from '../../../domain/transfers/transactionLog.ts';
import type { SignedTransaction } from '../../../domain/venue.ts';
import { isEmptyCall, emptyCall } from '../../../wallet/ownTransactions.ts';
import type { WalletCall } from '../../../wallet/sender.ts';
import { deadlineOf as deadlineIn, feesOf } from '../../../wallet/checkCalldata.ts';
import { configOf, stateOverride } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import type { SendingConnection } from '../../../app/environment/connect.ts';
import { requireSending, withSendingAccount } from '../../../app/transfers/account.ts';
import { lookMsOf, lookOnChain, type Observation } from '../../../app/transfers/chainTrace.ts';
import { confirm } from '../../../app/transfers/confirm.ts';
import type { SendFlags } from '../../../app/transfers/manualSends.ts';
import type { OwnWallet } from '../../../app/environment/submission.ts';
import { follow, goesOn, openWallet, sendFromWallet, underWay } from '../../../app/transfers/walletSends.ts';
import { printResult } from '../../../process/output.ts';
import { heldJournal } from '../../../app/environment/journal.ts';

type CancelFlags = SendFlags & Readonly<{ nonce: string }>;

/** The printed JSON. `replaces`: hash of the transaction being cancelled. */
type CancelRow = Readonly<{
  operation: 'cancel';
  nonce: number;
  txHash: string;
  replaces: string;
  status: string;
}>;

/** The transaction to cancel, and an earlier one signed to cancel it; null if there is none. */
type Target = Readonly<{ stuck: LoggedTransaction; before: LoggedTransaction | null }>;

type Parts = Readonly<{ account: SendingConnection; wallet: OwnWallet; target: Target }>;

/** `drover wallet cancel NONCE`: replaces a pending transaction by one that does nothing and pays higher fees. */
export function walletCancel(flags: CancelFlags, context: CommandContext): Promise<number> {
  const nonce = nonceOf(flags.nonce);
  const loaded = configOf(context, stateOverride(flags));
  requireSending(loaded, 'reduces');
  return withSendingAccount(loaded, context, async (account) =>
    closingAfter(await openWallet(account), async (wallet) =>
      cancel(flags, { account, wallet, target: await targetOf(nonce, wallet) }),
    ),
  );
}

/** @throws {ConfigError} when the text is not a whole number */
function nonceOf(text: string): number {
  if (/^\d{1,10}$/.test(text)) return Number(text);
  throw new ConfigError('NONCE must be a whole number, as shown in the message about a stuck wallet');
}

/** @throws {ConfigError} when the nonce is already used, or no transaction signed here has it */
async function targetOf(nonce: number, { log, chain, sender }: OwnWallet): Promise<Target> {
  const used = await chain.transactionCount(sender.address, 'latest');
  if (nonce < used)
    throw new ConfigError(
      `nonce ${nonce} is used: the newest block has ${used} transactions of ${sender.address}, from nonce 0. Nothing was sent`,
    );
  const signed = log.entries().filter((each) => each.nonce === nonce);
  const before = signed.find((each) => isEmptyCall(each, sender.address)) ?? null;
  const stuck = signed.filter((each) => each !== before).reduce<LoggedTransaction | null>(dearer, null);
  if (stuck) return { stuck, before };
  throw new ConfigError(
    `no transaction with nonce ${nonce} was signed by this user on this machine, and the journal of the config's state has ` +
      'none. Nothing was sent. If another program signed it, cancel it there',
  );
}

/** The one with higher fees of two transactions with the same nonce, as a node chooses. */
const dearer = (most: LoggedTransaction | null, each: LoggedTransaction): LoggedTransaction =>
  most === null || feesOf(each).maxFeePerGas > feesOf(most).maxFeePerGas ? each : most;

async function cancel(flags: CancelFlags, parts: Parts): Promise<number> {
  const { account, wallet, target } = parts;
  const { context } = account;
  const { nonce, txHash: replaces } = target.stuck;
  const deadline = deadlineIn(target.stuck, wallet.codec);
  confirm(
    { what: `Take back nonce ${nonce}`, facts: factsOf(target, deadline) },
    flags.yes ?? false,
    context,
  );
  const txHash = target.before ? await offeredAgain(target.before, parts) : await sent(parts);
  const row = (status: string): CancelRow => ({ operation: 'cancel', nonce, txHash, replaces, status });
  const own = lookOnChain(row, {
    txHash,
    signed: { from: wallet.sender.address, nonce },
    clock: account.clock,
    lookMs: lookMsOf(account),
    traceOf: (...asked) => wallet.chain.trace(...asked),
  });
  return follow(
    {
      txHash,
      look: async () => (await minedInstead(target, wallet, row)) ?? own(),
      unseen: row('sent'),
      print: (last) => print(last, context),
      again: goesOn(`drover wallet show ${txHash}`),
      doubt: `\`drover wallet cancel ${nonce}\` sends the same bytes again`,
    },
    flags,
    account,
  );
}

function factsOf(
  { stuck, before }: Target,
  deadline: EpochSeconds | null,
): readonly (readonly [string, string])[] {
  const until = deadline === null ? 'nothing: it may be mined at any time' : toIso(epochMs(deadline * 1000));
  return [
    ['replaces', `transaction ${stuck.txHash}, unless a block takes that one first`],
    ['deadline', until],
    before
      ? ['by', `transaction ${before.txHash}, which was signed earlier and is sent again`]
      : ['by', 'an empty transaction to the wallet itself, at higher fees'],
    ['costs', 'gas'],
  ];
}

/** Refuses a second cancel of the same nonce, which could only outbid the first. */
async function offeredAgain({ txHash }: SignedTransaction, { wallet }: Parts): Promise<string> {
  await wallet.sender.offerAgain(txHash);
  return txHash;
}

async function sent({ account, wallet, target: { stuck } }: Parts): Promise<string> {
  const { context, venue, clock, loaded } = account;
  const { nonce, txHash: replaces } = stuck;
  const call: WalletCall = { chainId: venue.chainId, ...emptyCall(wallet.sender.address) };
  const journal = heldJournal(loaded);
  const keep = (request: SignedTransaction) =>
    journal?.commit([{ at: clock.now(), fact: { kind: 'nonceCancelled', nonce, replaces, request } }]);
  try {
    return await underWay(context, `\`drover wallet show ${replaces}\``, () =>
      sendFromWallet(account, { risk: 'reduces', keep }, (gate) =>
        wallet.sender.send({ gate, reduces: true, replaces: stuck, callFor: () => Promise.resolve(call) }),
      ).then(({ txHash }) => txHash),
    );
  } finally {
    journal?.close();
  }
}

/** Result if the transaction to cancel was mined after all; null until then. */
async function minedInstead(
  { stuck: { txHash } }: Target,
  { chain }: OwnWallet,
  row: (status: string) => CancelRow,
): Promise<Observation<CancelRow> | null> {
  const trace = await chain.trace(txHash);
  if (trace.kind !== 'mined') return null;
  const status = `too late: ${txHash} was mined`;
  return { row: row(status), status, end: 'failed' };
}

function print(row: CancelRow, context: CommandContext): void {
  const { nonce, txHash, replaces, status } = row;
  printResult(context, row, `cancel of nonce ${nonce} (${replaces}): ${status}, transaction ${txHash}`);
}
