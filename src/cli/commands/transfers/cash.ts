import {
  bpsOf,
  cash,
  formatDecimal,
  parseDecimal,
  roundTo,
  stepOf,
  type Cash,
} from '../../../core/amount.ts';
import { NotSentError } from '../../../core/errors.ts';
import type { CommandContext } from '../../context.ts';
import { withMovingAccount } from '../../transfers/account.ts';
import { allowanceFact, requireAllowance, walletOf } from '../../transfers/allowance.ts';
import { amountOf } from '../../transfers/confirm.ts';
import {
  holdingOf,
  isInstantDeposit,
  requireEnough,
  speedOf,
  type TokenTerms,
} from '../../transfers/market.ts';
import { pinnedCashToken } from '../../transfers/pinned.ts';
import { performOperation } from './list.ts';
import type { MoveFlags } from '../../transfers/perform.ts';

export type CashFlags = MoveFlags & Readonly<{ amount: string; token?: string }>;

/** `drover cash deposit AMOUNT`: cash tokens of the wallet become mUSD. */
export const cashDeposit = (flags: CashFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'cashDeposit', flags }, context, async (account) => {
    const terms = await account.client.config();
    const { token, terms: rules } = pinnedCashToken(terms, account, flags.token);
    const amount = amountOf(flags.amount, { what: 'AMOUNT', places: token.decimals });
    if (rules.depositPaused)
      throw new NotSentError(`deposits of ${token.symbol} are paused. Nothing was sent`);
    requireMinimum(amount, token.symbol, rules);
    const { tokens, spender } = await walletOf(account);
    const held = holdingOf(tokens, token.address);
    requireEnough(held.wallet, { needed: amount, of: `${token.symbol} in the wallet` });
    requireAllowance(held, { amount, token, spender });
    const fee = bpsOf(cash(amount), rules.depositFeeBps ?? 0, 'up');
    const plan = {
      what: `Deposit ${formatDecimal(amount)} ${token.symbol}`,
      facts: [
        ['from', `wallet ${account.venue.userAddress}`],
        ['to', 'mUSD at the venue'],
        ['credit', `${formatDecimal(amount - fee)} mUSD`],
        ['fee', `${formatDecimal(fee)} mUSD`],
        ['credited', speedOf(isInstantDeposit(terms, rules, amount))],
        allowanceFact(held, spender),
      ],
    } as const;
    const asked = { names: [token.address, token.symbol], amount };
    const move = { kind: 'cashDeposit', token, amount } as const;
    return performOperation({ family: 'cash', operation: 'deposit', asked, move, plan }, flags, account);
  });

function requireMinimum(amount: bigint, symbol: string, { minAmount }: TokenTerms): void {
  if (minAmount && amount < parseDecimal(minAmount))
    throw new NotSentError(`a deposit must be at least ${minAmount} ${symbol}. Nothing was sent`);
}

/** `drover cash withdraw AMOUNT`: mUSD becomes cash tokens in the wallet. */
export const cashWithdraw = (flags: CashFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'cashWithdrawal', flags }, context, async (account) => {
    const terms = await account.client.config();
    const { token, terms: rules } = pinnedCashToken(terms, account, flags.token);
    const credit = cash(amountOf(flags.amount, { what: 'AMOUNT' }));
    if (rules.withdrawPaused)
      throw new NotSentError(`withdrawals of ${token.symbol} are paused. Nothing was sent`);
    const { mUsd } = await walletOf(account);
    requireEnough(mUsd, { needed: credit, of: 'mUSD', remedy: 'Open orders lock some until they end' });
    const payout = payoutOf(credit, rules, token.decimals);
    if (payout <= 0n) throw new NotSentError('nothing would be left after the fee. Nothing was sent');
    const room = rules.withdrawalBuffer;
    const plan = {
      what: `Withdraw ${formatDecimal(credit)} mUSD`,
      facts: [
        ['from', 'mUSD at the venue'],
        ['to', `wallet ${account.venue.userAddress}`],
        ['pays out', `${formatDecimal(payout)} ${token.symbol}`],
        ['fee', `${formatDecimal(credit - payout)} mUSD`],
        ['paid', speedOf(room == null ? null : payout <= parseDecimal(room, { signed: true }))],
      ],
    } as const;
    const asked = { names: [token.address, token.symbol], credit };
    const move = { kind: 'cashWithdrawal', token, credit } as const;
    return performOperation({ family: 'cash', operation: 'withdrawal', asked, move, plan }, flags, account);
  });

/** What is left after the fee, down to what the token can express. */
const payoutOf = (credit: Cash, { withdrawFeeBps }: TokenTerms, decimals: number): bigint =>
  roundTo(credit - bpsOf(credit, withdrawFeeBps ?? 0, 'up'), stepOf(decimals), 'down');
