import { formatDecimal } from '../../../core/amount.ts';
import { isTree, valueAt } from '../../../core/nesting.ts';
import { MASK } from '../../../core/secrets.ts';
import { type LoadedConfig, configOf } from '../../../app/config/load.ts';
import { pathText, type Path, jsonSchemaOf, type JsonSchema } from '../../../app/config/problems.ts';
import { configSchema } from '../../../app/config/schema.ts';
import type { Environment } from '../../../process/environment.ts';
import { addressOrigin, addressPlaces } from '../../../app/config/notifyAddresses.ts';
import { SECRET_NAMES, secretOrigin } from '../../../app/config/secrets.ts';
import { likelySecretsIn } from '../../../app/config/likelySecrets.ts';
import type { CommandContext } from '../../../process/context.ts';
import { printResult, toJson, table } from '../../../process/output.ts';
import { withVenue } from '../../../app/environment/connect.ts';
import { readableOf } from '../../../app/environment/market.ts';
import { BY_HAND } from '../../../domain/operator/command.ts';
import { ConfigError } from '../../../core/errors.ts';
import { steering } from '../daemon/beside.ts';

/** One config value. `value` is null if not set; `origin` is `file:line`, a flag, `default`, `env …`. */
type ExplainedValue = Readonly<{ path: string; value: unknown; origin: string }>;

/** All values in schema order, with their origins. Secrets are masked. */
export function explain(loaded: LoadedConfig, env: Environment): ExplainedValue[] {
  const values = leaves(
    { schema: jsonSchemaOf(configSchema), written: loaded.written, read: loaded.config },
    [],
  );
  return [
    ...values.map(({ path, value }) => ({
      path: pathText(path),
      value,
      origin: value === null ? 'not set' : loaded.originOf(path),
    })),
    ...SECRET_NAMES.map((name) => {
      const origin = secretOrigin(name, env, loaded.config.venue);
      return maskedValue(name, origin);
    }),
    ...addressPlaces(loaded.config.notify).map((place) =>
      maskedValue(`address of ${place.id}`, addressOrigin(place, env)),
    ),
  ];
}

const maskedValue = (path: string, origin: string | null): ExplainedValue => ({
  path,
  value: origin === null ? null : MASK,
  origin: origin ?? 'not set',
});

/** A part of the config: its schema, the value in the file, and the parsed value. */
type Part = Readonly<{ schema: JsonSchema; written: unknown; read: unknown }>;
type Leaf = Readonly<{ path: Path; value: unknown }>;

function leaves({ schema, written, read }: Part, path: Path): Leaf[] {
  const into = (key: string | number, inner: JsonSchema) =>
    leaves({ schema: inner, written: valueAt(written, [key]), read: valueAt(read, [key]) }, [...path, key]);
  if (schema.items && Array.isArray(read)) return read.flatMap((_, index) => into(index, schema.items ?? {}));
  const known = Object.entries(schema.properties ?? {});
  if (known.length > 0)
    return read === undefined ? [{ path, value: null }] : known.flatMap(([key, inner]) => into(key, inner));
  if (isTree(read) && Object.keys(read).length > 0) return Object.keys(read).flatMap((key) => into(key, {}));
  return [{ path, value: written ?? schema.default ?? shown(read) ?? null }];
}

const shown = (value: unknown): unknown => (typeof value === 'bigint' ? formatDecimal(value) : value);

/** `drover config explain`: all values with their origins. */
export function configExplainCommand(_options: object, context: CommandContext): number {
  const loaded = configOf(context);
  // Only the strategy itself validates its parameters, and any of them may be a secret.
  for (const { params } of loaded.config.strategies)
    likelySecretsIn(params).forEach((text) => context.secrets.register(text));
  const values = explain(loaded, context.env);
  const rows = values.map(({ path, value, origin }) => [path, value === null ? '-' : asText(value), origin]);
  return printResult(context, values, table(['value', 'is', 'from'], rows));
}

const asText = (value: unknown): string => (typeof value === 'string' ? value : toJson(value));

/** `drover config fees`: fees, minimums, buffers and pauses as the venue states them, in basis points and whole units. */
export const configFees = (_flags: object, context: CommandContext): Promise<number> =>
  withVenue(context, async ({ client }) => {
    const { cashierBuffer, exchangeFeeConfig, cashierTokenConfig } = await client.config();
    const stated = {
      orders: exchangeFeeConfig ?? null,
      cashier: cashierBuffer ?? null,
      tokens: readableOf(cashierTokenConfig ?? []),
    };
    return printResult(context, stated, linesOf(stated).join('\n'));
  });

/** `orders.buyMintFeeBps  10` */
function linesOf(value: unknown, name = ''): string[] {
  if (typeof value !== 'object' || value === null)
    return [`${name}  ${value === null || value === undefined ? '-' : toJson(value).replaceAll('"', '')}`];
  return Object.entries(value).flatMap(([key, inner]) => linesOf(inner, name ? `${name}.${key}` : key));
}

type ReloadFlags = Readonly<{ state?: string; dryRun?: boolean; reason?: string; yes?: boolean }>;

/** `drover config reload`: makes a run reread limits, polling periods, `external` and `control.money` from its config file. */
export const configReload = (flags: ReloadFlags, context: CommandContext): Promise<number> => {
  const without = () => {
    throw new ConfigError(
      'no run is active: its next start reads the config file anyway. Nothing was changed',
    );
  };
  return steering({ flags, without }, context, async ({ client }) => {
    const { dryRun = false, reason = BY_HAND, yes = false } = flags;
    const { text, result } = await client.steer('reload', { dryRun, reason, yes });
    return printResult(context, result, text);
  });
};
