import { configOf } from '../config/load.ts';
import { explain } from '../config/explain.ts';
import { likelySecretsIn } from '../config/likelySecrets.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson, table } from '../output.ts';
import { withAccount } from '../transfers/account.ts';
import { readableOf } from '../transfers/market.ts';

/** `drover config explain`: every value and where it came from. */
export function configExplainCommand(_options: object, context: CommandContext): Promise<number> {
  const loaded = configOf(context);
  // Parameters are checked by their strategy alone, and a secret may stand anywhere among them.
  for (const { params } of loaded.config.strategies)
    likelySecretsIn(params).forEach((text) => context.secrets.register(text));
  const values = explain(loaded, context.env);
  const rows = values.map(({ path, value, origin }) => [path, value === null ? '-' : asText(value), origin]);
  context.terminal.out(context.json ? toJson(values) : table(['value', 'is', 'from'], rows));
  return Promise.resolve(EXIT.done);
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

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
