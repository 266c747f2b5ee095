import { formatDecimal, parseDecimal, toTokenUnits } from '../../core/amount.ts';
import { epochSeconds, toSeconds } from '../../core/brand.ts';
import { ConfigError, messageOf } from '../../core/errors.ts';
import { approvalCall } from '../../wallet/approval.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { requireNoKillFile, withAccount, type Account } from '../moves/account.ts';
import { spenderOf, walletOf } from '../moves/allowance.ts';
import { sendOnce } from '../moves/calldata.ts';
import { confirm } from '../moves/confirm.ts';
import { holdingOf, type TokenBalance } from '../moves/market.ts';
import { openWallet } from '../moves/sending.ts';
import { exitOf, type MoveFlags } from '../moves/perform.ts';
import { watch } from '../moves/watch.ts';
import { toJson } from '../output.ts';

export type ApproveFlags = MoveFlags & Readonly<{ token: string; amount: string }>;

/** The printed JSON. */
type ApproveRow = Readonly<{
  operation: 'approve';
  txHash: string;
  token: string;
  spender: string;
  amount: string;
  status: string;
}>;

/** `drover wallet approve TOKEN AMOUNT`: sent by the wallet itself, whatever the config's `submission`. */
export const walletApprove = (flags: ApproveFlags, context: CommandContext): Promise<number> =>
  withAccount(context, async (account) => {
    requireNoKillFile(account.loaded);
    const spender = spenderOf(account.venue);
    if (!spender) throw new ConfigError('approve whom? Set venue.router, or venue.spender');
    const { tokens } = await walletOf(account);
    const token = tokenOf(tokens, flags.token);
    const amount = amountIn(flags.amount, token.decimals);
    const { allowance } = holdingOf(tokens, token.address);
    const told = { token: token.symbol, spender, amount: formatDecimal(amount) };
    const wallet = await openWallet(account);
    try {
      const facts = [
        ['spender', `${spender}, which may take so much out of the wallet from then on`],
        ['before', allowance === null ? 'not known' : formatDecimal(allowance)],
        ['costs', 'gas'],
      ] as const;
      confirm({ what: `Approve ${told.amount} ${token.symbol}`, facts }, flags.yes ?? false, context);
      context.stopSignal();
      const call = approvalCall({
        ...{ chainId: account.venue.chainId, token: token.address, spender },
        amount: toTokenUnits(amount, token.decimals),
      });
      const txHash = await sendOnce({ ...wallet, context, deadline: deadlineOf(account) }, () =>
        Promise.resolve(call),
      );
      const row = (status: string): ApproveRow => ({ operation: 'approve', txHash, ...told, status });
      if (flags.wait === false) return print(row('sent'), context, EXIT.done);
      const { sight, interrupted } = await watch(async () => {
        const trace = await wallet.chain.trace(txHash);
        if (trace.kind !== 'mined') return null;
        const status = trace.revert === null ? 'success' : `reverted: ${trace.revert}`;
        return { row: row(status), status, end: trace.revert === null ? 'done' : 'failed' };
      }, account);
      return print(sight?.row ?? row('sent'), context, interrupted ? EXIT.interrupted : exitOf(sight));
    } finally {
      await wallet.close();
    }
  });

/** How long the node may be asked to take the bytes; an approval itself has no end. */
const deadlineOf =
  ({ clock, loaded }: Account) =>
  () =>
    epochSeconds(toSeconds(clock.now()) + loaded.config.orders.deadlineSeconds);

function print(row: ApproveRow, { terminal, json }: CommandContext, exitCode: number): number {
  const { amount, token, spender, status, txHash } = row;
  terminal.out(
    json ? toJson(row) : `approve ${amount} ${token} for ${spender}: ${status}, transaction ${txHash}`,
  );
  return exitCode;
}

function tokenOf(tokens: readonly TokenBalance[], wanted: string) {
  const name = wanted.toLowerCase();
  const found = tokens.find((token) =>
    [token.symbol, token.stockSymbol, token.address].some((each) => each?.toLowerCase() === name),
  );
  if (!found) throw new ConfigError(`the venue knows no token ${wanted} of this wallet`);
  const { address, decimals, symbol, stockSymbol } = found;
  if (typeof decimals !== 'number')
    throw new ConfigError(`the venue does not say how many places ${wanted} has`);
  return { address, decimals, symbol: stockSymbol ?? symbol };
}

/** 0 is an amount here: it takes an approval back. */
function amountIn(text: string, places: number): bigint {
  try {
    return parseDecimal(text, { places });
  } catch (error) {
    throw new ConfigError(`AMOUNT: ${messageOf(error)}`);
  }
}
