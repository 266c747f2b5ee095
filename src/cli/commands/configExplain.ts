import { configOf } from '../config/configFile.ts';
import { explain } from '../config/explain.ts';
import { likelySecretsIn } from '../config/likelySecrets.ts';
import type { CommandContext } from '../context.ts';
import { EXIT } from '../exitCodes.ts';
import { toJson } from '../output.ts';
import { table } from '../table.ts';

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
