import type { Forward, Intercept, RpcCall } from './relay.ts';

/** Messages of the pool of Monad's node for those of anvil's (monad-eth-txpool-types/src/lib.rs, `as_user_string`). */
const WORDS: readonly (readonly [RegExp, string])[] = [
  [/nonce too low/i, 'Transaction nonce too low'],
  [/already imported|insufficient gas price to replace/i, 'An existing transaction had higher priority'],
  [/insufficient funds/i, 'Signer had insufficient balance'],
  [/max fee per gas less than block base fee/i, 'Transaction fee too low'],
];

/** Error code of every refusal by the pool (monad-rpc/src/types/jsonrpc.rs, `custom`). */
const CODE = -32603;

type Answer = Readonly<{ result?: unknown; error?: Readonly<{ code: number; message: string }> }>;
type Transaction = Readonly<{ gas: string; blockNumber: string | null }>;

/**
 * Responds as the node of Monad does (category-labs/monad-bft, monad-rpc/src/handlers/eth): `pending` is the newest block,
 * the mempool is hidden, a receipt states the gas limit as used, and refusals have their own words.
 */
export const monadFace: Intercept = (call, forward) => {
  switch (call.method) {
    case 'eth_getTransactionCount':
    case 'eth_estimateGas':
      return forward({ ...call, params: [call.params[0], 'latest'] });
    case 'eth_getTransactionByHash':
      return edited(call, forward, ({ result }) => {
        const found = result as Transaction | null;
        return { result: found?.blockNumber == null ? null : found };
      });
    case 'eth_getTransactionReceipt':
      return charging(call, forward);
    case 'eth_sendRawTransaction':
      return edited(call, forward, ({ result, error }) =>
        error === undefined ? { result } : { error: { code: CODE, message: wordsOf(error.message) } },
      );
    default:
      return forward(call);
  }
};

const wordsOf = (message: string): string =>
  WORDS.find(([pattern]) => pattern.test(message))?.[1] ?? 'Internal error';

async function charging(call: RpcCall, forward: Forward): Promise<string> {
  const asked = await forward({ ...call, method: 'eth_getTransactionByHash' });
  const transaction = (JSON.parse(asked) as Answer).result as Transaction | null;
  return edited(call, forward, ({ result }) => ({
    result: result && transaction ? { ...result, gasUsed: transaction.gas } : result,
  }));
}

async function edited(call: RpcCall, forward: Forward, edit: (answer: Answer) => Answer): Promise<string> {
  const answer = JSON.parse(await forward(call)) as Answer;
  return JSON.stringify({ jsonrpc: '2.0', id: call.id, ...edit(answer) });
}
