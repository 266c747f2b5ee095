import { formatDecimal } from '../../../core/amount.ts';
import { ConfigError, closingAfter } from '../../../core/errors.ts';
import { sendApproval } from '../../../venue/ownTransfers.ts';
import { type SendingConnection, spenderOf } from '../../../app/environment/connect.ts';
import { deadlineAt } from '../../../app/environment/submission.ts';
import { configOf, stateOverride } from '../../../app/config/load.ts';
import type { CommandContext } from '../../../process/context.ts';
import { requireOwnKey, requireSending, withSendingAccount } from '../../../app/transfers/account.ts';
import { tokensOf, holdingOf, tokensNamed, type TokenBalance } from '../../../app/environment/market.ts';
import { requirePlaces } from '../../../wallet/chain.ts';
import { amountOf, confirm } from '../../../app/transfers/confirm.ts';
import { lookMsOf, lookOnChain } from '../../../app/transfers/chainTrace.ts';
import { requirePinnedToken } from '../../../app/environment/pinned.ts';
import type { SendFlags } from '../../../app/transfers/manualSends.ts';
import {
  follow,
  goesOn,
  openWallet,
  sendFromWallet,
  underWay,
  withoutDeadline,
} from '../../../app/transfers/walletSends.ts';
import { printResult } from '../../../process/output.ts';

type ApproveFlags = SendFlags & Readonly<{ token: string; amount: string }>;

/** The printed JSON. */
type ApproveRow = Readonly<{
  operation: 'approve';
  txHash: string;
  token: string;
  spender: string;
  amount: string;
  status: string;
}>;

/** `drover wallet approve TOKEN AMOUNT`: sends an approval from the wallet itself, whichever `submission` is set. */
export function walletApprove(flags: ApproveFlags, context: CommandContext): Promise<number> {
  const loaded = configOf(context, stateOverride(flags));
  requireSending(loaded, 'adds');
  return withSendingAccount(loaded, context, (account) => approve(flags, account));
}

async function approve(flags: ApproveFlags, account: SendingConnection): Promise<number> {
  const { context } = account;
  await requireOwnKey(account);
  const spender = spenderOf(account.venue);
  if (!spender) throw new ConfigError('no contract to approve: set venue.router or venue.spender');
  const tokens = await tokensOf(account, spender);
  const token = tokenOf(tokens, flags.token);
  requirePinnedToken(token, flags.token, account);
  // 0 revokes an approval.
  const amount = amountOf(flags.amount, { what: 'AMOUNT', places: token.decimals, orNothing: true });
  const { allowance } = holdingOf(tokens, token.address);
  const fields = { token: token.symbol, spender, amount: formatDecimal(amount) };
  return closingAfter(await openWallet(account), async (wallet) => {
    await requirePlaces(token, wallet.chain);
    const facts = [
      ['contract', token.address],
      ['spender', `${spender}, which may then take this amount out of the wallet`],
      ['before', allowance === null ? 'not known' : formatDecimal(allowance)],
      ['costs', 'gas'],
    ] as const;
    confirm({ what: `Approve ${fields.amount} ${token.symbol}`, facts }, flags.yes ?? false, context);
    const terms = { token: token.address, spender, amount };
    const deadline = () => deadlineAt(account.loaded.config, account.clock);
    // The venue's values were compared above.
    const parts = { ...wallet, chainId: account.venue.chainId, spender, deadline, venue: {} };
    const { txHash, signed } = await underWay(context, `\`drover wallet allowance ${flags.token}\``, () =>
      sendFromWallet(account, { risk: 'adds' }, (gate) => sendApproval(terms, withoutDeadline(gate), parts)),
    );
    const row = (status: string): ApproveRow => ({ operation: 'approve', txHash, ...fields, status });
    const look = lookOnChain(row, {
      txHash,
      clock: account.clock,
      lookMs: lookMsOf(account),
      ...(signed ? { signed } : {}),
      traceOf: (...asked) => wallet.chain.trace(...asked),
    });
    const again = goesOn(`drover wallet show ${txHash}`);
    const job = { look, unseen: row('sent'), print: (last: ApproveRow) => print(last, context), again };
    return follow({ ...job, txHash, doubt: doubtOf(flags.token) }, flags, account);
  });
}

const doubtOf = (token: string): string =>
  `Check with \`drover wallet allowance ${token}\` for some minutes; approving the same amount again is safe, ` +
  'because each approval replaces the one before';

function print(row: ApproveRow, context: CommandContext): void {
  const { amount, token, spender, status, txHash } = row;
  printResult(context, row, `approve ${amount} ${token} for ${spender}: ${status}, transaction ${txHash}`);
}

function tokenOf(tokens: readonly TokenBalance[], wanted: string) {
  const [found, other] = tokensNamed(tokens, wanted);
  if (other) throw new ConfigError(`several tokens are named ${wanted}: give the address of one`);
  if (typeof found?.decimals !== 'number')
    throw new ConfigError(`the venue does not state the decimals of ${wanted}`);
  const { address, decimals, symbol, stockSymbol } = found;
  return { address, decimals, symbol: stockSymbol ?? symbol };
}
