import * as bodies from './move.ts';
import type { VenueClient } from '../../api/client.ts';
import { type EpochSeconds, epochSeconds, toSeconds } from '../../core/brand.ts';
import type { Submit } from './move.ts';
import { DELEGATION_ENABLED } from '../../api/assumptions/venueRules.ts';
import { ConfigError, NotSentError, DroverError, messageOf, OutcomeUnknownError } from '../../core/errors.ts';
import type { TransactionLog } from '../../domain/transfers/transactionLog.ts';
import type { SignedTransaction } from '../../domain/venue.ts';
import type { Chain } from '../../wallet/chain.ts';
import type { Sender } from '../../wallet/sender.ts';
import { ownWallet } from '../environment/connect.ts';
import { holderOf, holdWallet } from '../environment/locks.ts';
import { gasLimitsOf, requireChain } from '../environment/submission.ts';
import { openWalletLog } from '../environment/walletLog.ts';
import type { Account, SendingAccount } from './account.ts';

/** Through One Click: the venue sends for the wallet. `deadline`: of an order that is sent now. */
const oneClick =
  (client: VenueClient, deadline: () => EpochSeconds): Submit =>
  (move) => {
    switch (move.kind) {
      case 'cashDeposit':
        return client.cashDepositSend({ body: bodies.cashDepositBody(move) });
      case 'cashWithdrawal':
        return client.cashWithdrawalSend({ body: bodies.cashWithdrawalBody(move) });
      case 'stockDeposit':
        return client.stockDepositSend({ body: bodies.stockBody(move) });
      case 'stockWithdrawal':
        return client.stockWithdrawalSend({ body: bodies.stockBody(move) });
      case 'repay':
        return client.repaySend({ body: bodies.repayBody(move) });
      case 'order':
        return client.orderSend({ body: { ...bodies.orderBody(move), deadline: deadline() } });
      case 'orderWithDeposit':
        return client.orderWithDepositSend({
          body: { ...bodies.orderWithDepositBody(move), deadline: deadline() },
        });
      case 'cancel':
        return client.orderCancelSend({ path: { orderId: move.orderId }, query: { deadline: deadline() } });
    }
  };

/** Way in which an account sends, and what it can read from the chain. */
export type Sending = Readonly<{
  submit: Submit;
  /** Fate of a transaction; null where no node is configured. */
  traceOf: Chain['trace'] | null;
  close(): Promise<void>;
}>;

/**
 * Opens what the config's `submission` needs.
 * @throws {NotSentError} when One Click is off
 * @throws {ConfigError} when a value is missing for calldata
 * @throws {SafetyError} when the node is of another chain, the key of another wallet, or another process sends for it
 */
export async function openSending(account: SendingAccount): Promise<Sending> {
  const { client, venue, loaded } = account;
  if (loaded.config.submission === 'calldata') {
    const own = await openWallet(account);
    const { calldata } = await import('./calldata.ts');
    const { sender, chain, close } = own;
    const { router } = venue;
    if (router === undefined) throw missing('venue.router');
    const parts = {
      client,
      sender,
      chain,
      venue,
      router,
      deadline: deadlineOf(account),
      context: account.context,
    };
    return { submit: calldata(parts), traceOf: (...asked) => chain.trace(...asked), close };
  }
  const { status } = await client.oneClickStatus();
  if (status !== DELEGATION_ENABLED)
    throw new NotSentError(
      `One Click is off (${status}): \`drover oneclick enable\` turns it on, for which signing.allow must name ` +
        'delegation. Nothing was sent',
    );
  const submit = oneClick(client, deadlineOf(account));
  if (venue.rpcUrl === undefined) return { submit, traceOf: null, close: () => Promise.resolve() };
  const { chain, close } = await openChain(account);
  return { submit, traceOf: (txHash) => chain.trace(txHash), close };
}

/** The last second for what is sent now; also how long a node may be asked to take it. */
export const deadlineOf =
  ({ clock, loaded }: Account) =>
  (): EpochSeconds =>
    epochSeconds(toSeconds(clock.now()) + loaded.config.orders.deadlineSeconds);

const missing = (field: string): ConfigError =>
  new ConfigError(`this needs ${field}: set it in the config`, { field });

function rpcUrlOf({ venue: { rpcUrl } }: Account): string {
  if (rpcUrl === undefined) throw missing('venue.rpcUrl');
  return rpcUrl;
}

/**
 * The chain of the config's venue, by its node.
 * @throws {ConfigError} when none is named
 * @throws {SafetyError} when the node is of another chain
 */
export async function openChain(account: Account) {
  const { clock, venue } = account;
  const url = rpcUrlOf(account);
  const [{ createRpc }, { createChain }] = await Promise.all([
    import('../../wallet/rpc.ts'),
    import('../../wallet/chain.ts'),
  ]);
  const rpc = createRpc({ url, clock });
  const chain = createChain(rpc);
  try {
    await requireChain(chain, venue.chainId);
  } catch (error) {
    await rpc.close();
    throw error;
  }
  return { rpc, chain, close: () => rpc.close() };
}

/** `log`: what the wallet has signed before. */
export type OwnWallet = Readonly<{
  sender: Sender;
  chain: Chain;
  log: TransactionLog;
  close(): Promise<void>;
}>;

/** The wallet of the config with its node, kept to this process until it is closed. */
export async function openWallet(account: SendingAccount): Promise<OwnWallet> {
  const { venue, clock, context, loaded } = account;
  const wallet = await ownWallet(venue, context);
  const { state } = loaded.config;
  const use = {
    address: wallet.address,
    chainId: venue.chainId,
    rpcUrl: rpcUrlOf(account),
    stateDir: state,
    holder: holderOf(context, state),
  };
  const closing: (() => unknown)[] = [holdWallet(use, context.env)];
  const close = async () => {
    for (const each of closing.splice(0).reverse()) await each();
  };
  try {
    const { rpc, chain, close: closeChain } = await openChain(account);
    closing.push(closeChain);
    const { log, close: closeLog } = await openWalletLog(use, chain, context);
    closing.push(closeLog);
    const [{ Sender: WalletSender }, { routerCodec }] = await Promise.all([
      import('../../wallet/sender.ts'),
      import('../../wallet/routerAbi.ts'),
    ]);
    const codec = routerCodec(venue.assumptions?.functions);
    const gas = gasLimitsOf(loaded.config);
    const onOfferAgain = ({ nonce, txHash }: SignedTransaction) =>
      context.terminal.err(
        `offered again: transaction ${txHash} of an earlier send (nonce ${nonce}), which the node had lost`,
      );
    const sender = new WalletSender({ wallet, rpc, chain, clock, gas, log, codec, onOfferAgain });
    return { sender, chain, log, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** Words for a send that got no answer. `what`: the request, where the words of the failure do not name it. */
export type DoubtText = Readonly<{ what?: string; look: string }>;

/** A send is never repeated: one without an answer may have been accepted, and only looking shows which. */
export async function sentOnce<T>(send: () => Promise<T>, { what, look }: DoubtText): Promise<T> {
  try {
    return await send();
  } catch (error) {
    if (!(error instanceof DroverError) || error.effect !== 'unknown') throw error;
    throw new OutcomeUnknownError(
      `${what === undefined ? '' : `${what}: `}${messageOf(error)}. It may have been taken or not: look with ${look} ` +
        'for some minutes, and do not send it again before you know',
      error.details,
      { cause: error },
    );
  }
}
