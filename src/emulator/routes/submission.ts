import { z } from 'zod';
import { type RouterCall, encodeCall } from '../state/calls.ts';
import { submit } from '../chain/mining.ts';
import { CHAIN_ID, contracts, PRODUCT, type OperationWord } from '../state/constants.ts';
import { undelegated, against, invalid } from '../state/messages.ts';
import type { Account, Hex, Mapping } from '../state/state.ts';
import { link } from '../state/venueState.ts';
import { boundUser, type Context, type Handler } from './route.ts';
import { sameAddress } from '../../domain/instrument.ts';
import { typeOf } from '../views/backfill.ts';
import { address, gasLimit, parseBody } from './fields.ts';

/** Call of a request, after the venue's checks. */
type PreparedCall = Readonly<{ call: RouterCall; gasLimit?: number | null | undefined }>;

/** Checks a request and builds its call. Throws a `Refusal` for anything that the venue refuses. */
export type Prepare = (context: Context) => PreparedCall;

/** The two forms of a request: calldata for the wallet of `userAddress`, or sent for the key's user. */
export type Preparations = Readonly<Record<'calldata' | 'send', Prepare>>;

const owner = z.object({ userAddress: address });
const gas = z.object({ gasLimit });

/** Prepares both forms of a request with the same fields and the same call. */
export const preparations = <S extends z.ZodType>(
  fields: S,
  callOf: (context: Context, body: z.output<S>) => RouterCall,
): Preparations => ({
  calldata(context) {
    parseBody(owner, context);
    return { call: callOf(context, parseBody(fields, context)) };
  },
  send(context) {
    const body = parseBody(fields, context);
    const { gasLimit: limit } = parseBody(gas, context);
    return { call: callOf(context, body), gasLimit: limit };
  },
});

/** Returns calldata for a wallet to send itself. Changes nothing. */
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

/** Sends the same calldata for the key's user, and links the transaction to the key. */
export const sendDelegated =
  (type: OperationWord, prepare: Prepare): Handler =>
  (context) => {
    const { venue, key, now, uuid } = context;
    const txHash = submitDelegated(context, prepare(context));
    link(venue, { apiKey: key.apiKey, txHash, type, createdAt: now });
    return sent(uuid, txHash);
  };

/** Builds the calldata and has the proxy wallet send it. */
export function submitDelegated(context: Context, { call, gasLimit }: PreparedCall): Hex {
  const submission = { account: delegator(context), data: encodeCall(call), gasLimit: gasLimit ?? 0 };
  return submit(context.venue, submission, context.now).hash;
}

/** The account that a `/send` acts for, if it has delegated to its proxy wallet. */
function delegator(context: Context): Account {
  const account = boundUser(context);
  if (account.delegation.status !== 'enable')
    throw undelegated('One Click delegation is not enabled for the userAddress of this key');
  return account;
}

/** Response of every delegated send. */
export const sent = (uuid: string, txHash: string): string => JSON.stringify({ uuid, txHash });

const recordBody = z.object({
  txHash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex')
    .transform((text) => text.toLowerCase() as Hex),
});

/**
 * Links a transaction sent by the wallet itself to the key, and returns the link. The same key may repeat this. A hash
 * that the chain does not know yet is accepted, because it may still arrive.
 */
export const recordTx =
  (type: OperationWord, view: (context: Context, mapping: Mapping) => unknown): Handler =>
  (context) => {
    const { venue, key, now } = context;
    const { txHash } = parseBody(recordBody, context);
    const known = venue.mappings.get(txHash);
    if (known && known.apiKey !== key.apiKey) throw against('txHash was recorded by another API key');
    if (known && known.type !== type) throw invalid(`txHash must be that of a ${type}`);
    if (known) return JSON.stringify(view(context, known));
    checkTransaction(context, txHash, type);
    const mapping: Mapping = { apiKey: key.apiKey, txHash, type, createdAt: now };
    link(venue, mapping);
    return JSON.stringify(view(context, mapping));
  };

function checkTransaction({ venue, key }: Context, txHash: Hex, type: OperationWord): void {
  const transaction = venue.transactions.get(txHash);
  if (!transaction) return;
  if (typeOf(venue, transaction) !== type) throw invalid(`txHash must be that of a ${type}`);
  if (!key.unbound && !sameAddress(transaction.user, key.userAddress))
    throw against('txHash is not of the userAddress of this key');
}
