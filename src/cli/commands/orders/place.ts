import type { OrderRow } from '../../../api/convert.ts';
import { ConfigError } from '../../../core/errors.ts';
import type { CommandContext } from '../../../process/context.ts';
import { amountOf } from '../../../app/transfers/confirm.ts';
import {
  handOver,
  withCarrier,
  type ManualSend,
  type SendFlags,
} from '../../../app/transfers/manualSends.ts';
import { printOrder } from '../../../app/transfers/orderRow.ts';

type PlaceFlags = SendFlags &
  Readonly<{
    symbol: string;
    side: string;
    market?: boolean;
    limit?: string;
    quantity?: string;
    notional?: string;
    deferred?: boolean;
    withDeposit?: string;
    token?: string;
    strategy?: string;
  }>;

/** `drover orders place SYMBOL buy|sell …`: one order, after a deposit with `--with-deposit`. */
export const ordersPlace = (flags: PlaceFlags, context: CommandContext): Promise<number> => {
  requireTerms(flags);
  const deposit = flags.withDeposit === undefined ? null : depositOf(flags, flags.withDeposit, context);
  const { side, quantity, notional, limit, strategy, deferred } = flags;
  const symbol = flags.symbol.toUpperCase();
  const order: ManualSend = {
    verb: 'orders',
    fields: {
      symbol,
      side,
      shares: quantity,
      notional,
      limit,
      strategy,
      deferred: deferred ? 'true' : undefined,
    },
    print: (row) => printOrder(row as OrderRow, context),
    mayRest: limit !== undefined,
  };
  return withCarrier({ kinds: deposit ? [deposit.kind, 'order'] : ['order'], flags }, context, (carrier) =>
    handOver(deposit ? [deposit.send, order] : [order], flags, carrier),
  );
};

/** Deposit that an order needs: cash to buy, shares to sell. Its text goes to stderr; stdout is for the order. */
function depositOf({ side, symbol, token }: PlaceFlags, amount: string, { terminal }: CommandContext) {
  const kind = side === 'buy' ? ('cashDeposit' as const) : ('stockDeposit' as const);
  const asset = side === 'buy' ? { cashToken: token } : { symbol: symbol.toUpperCase() };
  const send: ManualSend = {
    verb: 'transfers',
    fields: { kind, amount, ...asset },
    print: (row) =>
      terminal.err(`deposit of ${amount}: ${String(row['status'])}, transaction ${String(row['txHash'])}`),
    mayRest: false,
  };
  return { kind, send };
}

/** @throws {ConfigError} for contradictory terms, or an invalid amount */
function requireTerms({ side, market, limit, quantity, notional, deferred, withDeposit }: PlaceFlags): void {
  if (side !== 'buy' && side !== 'sell') throw new ConfigError(`${side} is not a side: use buy or sell`);
  if (market === (limit !== undefined)) throw new ConfigError('pass --market or --limit PRICE, and not both');
  if (!market && limit === undefined) throw new ConfigError('pass --market or --limit PRICE');
  const byNotional = side === 'buy' && limit === undefined;
  const [needed, other] = byNotional ? ['--notional', '--quantity'] : ['--quantity', '--notional'];
  const kind = limit === undefined ? `a market ${side}` : 'a limit order';
  if ((byNotional ? notional : quantity) === undefined) throw new ConfigError(`${kind} needs ${needed}`);
  if ((byNotional ? quantity : notional) !== undefined) throw new ConfigError(`${kind} takes no ${other}`);
  if (deferred && side !== 'sell') throw new ConfigError('only a sell can be --deferred');
  if (deferred && limit !== undefined)
    throw new ConfigError('a --deferred sell is at the market: leave --limit out');
  if (deferred && withDeposit !== undefined)
    throw new ConfigError('a --deferred sell delivers later, so it takes no --with-deposit');
  const amounts = {
    '--limit': limit,
    '--quantity': quantity,
    '--notional': notional,
    '--with-deposit': withDeposit,
  };
  for (const [what, text] of Object.entries(amounts)) if (text !== undefined) amountOf(text, { what });
}
