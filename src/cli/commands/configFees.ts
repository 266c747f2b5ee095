import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { withAccount } from '../moves/account.ts';
import { readableOf } from '../moves/market.ts';
import { toJson } from '../output.ts';

/** `drover config fees`: what the venue says of fees, minimums, buffers and pauses. Basis points and whole units. */
export const configFees = (_flags: object, context: CommandContext): Promise<number> =>
  withAccount(context, async ({ client }) => {
    const { cashierBuffer, exchangeFeeConfig, cashierTokenConfig } = await client.config();
    const told = {
      orders: exchangeFeeConfig ?? null,
      cashier: cashierBuffer ?? null,
      tokens: readableOf(cashierTokenConfig ?? []),
    };
    const { terminal, json } = context;
    terminal.out(json ? toJson(told) : linesOf(told).join('\n'));
    return EXIT.done;
  });

/** `orders.buyMintFeeBps  10` */
function linesOf(value: unknown, name = ''): string[] {
  if (typeof value !== 'object' || value === null)
    return [`${name}  ${value === null || value === undefined ? '-' : toJson(value).replaceAll('"', '')}`];
  return Object.entries(value).flatMap(([key, inner]) => linesOf(inner, name ? `${name}.${key}` : key));
}
