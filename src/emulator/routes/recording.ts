import { z } from 'zod';
import { sameAddress } from '../../domain/instrument.ts';
import { typeOf } from '../backfill.ts';
import { against, invalid } from '../refusal.ts';
import type { Hex, Mapping } from '../state.ts';
import type { OperationWord } from '../words.ts';
import { link } from '../world.ts';
import { parseBody } from './fields.ts';
import type { Context, Handler } from './route.ts';

const recordBody = z.object({
  txHash: z
    .string()
    .regex(/^0x[0-9a-fA-F]{64}$/, 'must be 32 bytes in hex')
    .transform((text) => text.toLowerCase() as Hex),
});

/**
 * Links a transaction that the wallet has sent by itself to the key, and answers the link. The same key may repeat it.
 * A hash that the chain does not know yet is taken: it may come.
 */
export const recordTx =
  (type: OperationWord, view: (context: Context, mapping: Mapping) => unknown): Handler =>
  (context) => {
    const { world, key, now } = context;
    const { txHash } = parseBody(recordBody, context);
    const known = world.mappings.get(txHash);
    if (known && known.apiKey !== key.apiKey) throw against('txHash was recorded by another API key');
    if (known && known.type !== type) throw invalid(`txHash must be that of a ${type}`);
    if (known) return JSON.stringify(view(context, known));
    checkTransaction(context, txHash, type);
    const mapping: Mapping = { apiKey: key.apiKey, txHash, type, createdAt: now };
    link(world, mapping);
    return JSON.stringify(view(context, mapping));
  };

function checkTransaction({ world, key }: Context, txHash: Hex, type: OperationWord): void {
  const transaction = world.transactions.get(txHash);
  if (!transaction) return;
  if (typeOf(world, transaction) !== type) throw invalid(`txHash must be that of a ${type}`);
  if (!key.unbound && !sameAddress(transaction.user, key.userAddress))
    throw against('txHash is not of the userAddress of this key');
}
