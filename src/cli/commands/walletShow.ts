import { ConfigError, OutcomeUnknownError } from '../../core/errors.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { withAccount } from '../moves/account.ts';
import { lookMsOf, lookOnChain } from '../moves/chainLook.ts';
import { checkHash } from '../moves/findOrder.ts';
import { exitOf } from '../moves/perform.ts';
import { openChain } from '../moves/sending.ts';
import { watch } from '../moves/watch.ts';
import { toJson } from '../output.ts';

/** The printed JSON. */
type TransactionRow = Readonly<{ txHash: string; status: string }>;

/** `drover wallet show TX`: what became of a transaction, by the chain's node. With `--wait` until it is mined. */
export const walletShow = (
  { tx, wait = false }: Readonly<{ tx: string; wait?: boolean }>,
  context: CommandContext,
): Promise<number> =>
  withAccount(context, async (account) => {
    const txHash = checkHash(tx, 'a transaction is named by its hash');
    const { chain, close } = await openChain(account);
    try {
      const look = lookOnChain((status): TransactionRow => ({ txHash, status }), {
        txHash,
        clock: account.clock,
        lookMs: lookMsOf(account),
        traceOf: (...asked) => chain.trace(...asked),
      });
      const { sight, interrupted } = wait
        ? await watch(look, account)
        : { sight: await look(), interrupted: false };
      if (sight?.end === 'unknown')
        throw new OutcomeUnknownError(`${sight.status}. Nothing was sent by this command`);
      if (!sight && !interrupted)
        throw new ConfigError(`the chain has no trace of ${txHash} (yet); --wait waits for it`);
      if (sight) context.terminal.out(context.json ? toJson(sight.row) : `${txHash}: ${sight.status}`);
      return interrupted ? EXIT.interrupted : exitOf(sight);
    } finally {
      await close();
    }
  });
