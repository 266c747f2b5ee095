import type { RouterCall } from '../chain/call.ts';
import { encodeCall } from '../chain/call.ts';
import { submit } from '../chain/chain.ts';
import { CHAIN_ID, contracts, PRODUCT } from '../deployment.ts';
import { undelegated } from '../refusal.ts';
import type { Account, Hex } from '../state.ts';
import type { OperationWord } from '../words.ts';
import { link } from '../world.ts';
import { boundUser } from './boundUser.ts';
import type { Context, Handler } from './route.ts';

/** What a request comes to once the venue has checked it. */
export type Prepared = Readonly<{ call: RouterCall; gasLimit?: number | null | undefined }>;

/** Checks a request and builds its call. Throws a `Refusal` for everything that the venue turns down. */
export type Prepare = (context: Context) => Prepared;

/** Answers the calldata, for a wallet to send by itself. Changes nothing. */
export const answerCalldata =
  (prepare: Prepare): Handler =>
  (context) => {
    const { call } = prepare(context);
    return JSON.stringify({
      chainId: CHAIN_ID,
      productType: PRODUCT,
      toAddress: contracts.router,
      value: '0',
      callData: encodeCall(call),
      method: call.kind,
    });
  };

/** Sends the same calldata for the user of the key, and links the transaction to the key. */
export const sendDelegated =
  (type: OperationWord, prepare: Prepare): Handler =>
  (context) => {
    const { world, key, now, uuid } = context;
    const txHash = submitDelegated(context, prepare(context));
    link(world, { apiKey: key.apiKey, txHash, type, createdAt: now });
    return sent(uuid, txHash);
  };

/** Builds the calldata and has the proxy wallet send it. */
export function submitDelegated(context: Context, { call, gasLimit }: Prepared): Hex {
  const submission = { account: delegator(context), data: encodeCall(call), gasLimit: gasLimit ?? 0 };
  return submit(context.world, submission, context.now).hash;
}

/** The account that a `/send` acts for: its wallet has allowed it. */
function delegator(context: Context): Account {
  const account = boundUser(context);
  if (account.delegation.status !== 'enable')
    throw undelegated('One Click delegation is not enabled for the userAddress of this key');
  return account;
}

/** What every delegated send answers. */
export const sent = (uuid: string, txHash: string): string => JSON.stringify({ uuid, txHash });
