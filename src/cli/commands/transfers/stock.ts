import { formatDecimal, shares } from '../../../core/amount.ts';
import type { CommandContext } from '../../context.ts';
import { withMovingAccount } from '../../transfers/account.ts';
import { allowanceFact, requireAllowance, walletOf } from '../../transfers/allowance.ts';
import { amountOf } from '../../transfers/confirm.ts';
import { holdingOf, requireEnough } from '../../transfers/market.ts';
import { stockOf } from '../../transfers/pinned.ts';
import { performOperation } from './list.ts';
import type { MoveFlags } from '../../transfers/perform.ts';

export type StockFlags = MoveFlags & Readonly<{ symbol: string; amount: string }>;

/** `drover stock deposit SYMBOL AMOUNT`: shares of the wallet on to the exchange. */
export const stockDeposit = (flags: StockFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'stockDeposit', flags }, context, async (account) => {
    const amount = shares(amountOf(flags.amount, { what: 'AMOUNT' }));
    const stock = await stockOf(account, flags.symbol);
    const { tokens, spender } = await walletOf(account);
    const held = holdingOf(tokens, stock.address);
    requireEnough(held.wallet, { needed: amount, of: `${stock.symbol} in the wallet` });
    requireAllowance(held, { amount, token: stock, spender });
    const plan = {
      what: `Deposit ${formatDecimal(amount)} ${stock.symbol}`,
      facts: [
        ['from', `wallet ${account.venue.userAddress}`],
        ['to', 'the exchange'],
        ['fee', 'none but gas'],
        allowanceFact(held, spender),
      ],
    } as const;
    const asked = { names: [stock.address, stock.symbol], amount };
    const move = { kind: 'stockDeposit', stock: stock.address, amount } as const;
    return performOperation({ family: 'stock', operation: 'deposit', asked, move, plan }, flags, account);
  });

/** `drover stock withdraw SYMBOL AMOUNT`: shares on the exchange into the wallet. */
export const stockWithdraw = (flags: StockFlags, context: CommandContext): Promise<number> =>
  withMovingAccount({ kind: 'stockWithdrawal', flags }, context, async (account) => {
    const amount = shares(amountOf(flags.amount, { what: 'AMOUNT' }));
    const stock = await stockOf(account, flags.symbol);
    const { tokens } = await walletOf(account);
    requireEnough(holdingOf(tokens, stock.address).exchange, {
      needed: amount,
      of: `${stock.symbol} on the exchange`,
      remedy: 'Open sells lock some until they end',
    });
    const plan = {
      what: `Withdraw ${formatDecimal(amount)} ${stock.symbol}`,
      facts: [
        ['from', 'the exchange'],
        ['to', `wallet ${account.venue.userAddress}`],
        ['fee', 'none but gas'],
        ['note', 'the chain refuses it to an address that is restricted'],
      ],
    } as const;
    const asked = { names: [stock.address, stock.symbol], amount };
    const move = { kind: 'stockWithdrawal', stock: stock.address, amount } as const;
    return performOperation({ family: 'stock', operation: 'withdrawal', asked, move, plan }, flags, account);
  });
