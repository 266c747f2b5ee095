import { ALLOWED_GROUPS, denialOf, isAllowedGroup, type AllowedGroup } from '../../../api/allowList.ts';
import type { Method } from '../../../api/endpoint.ts';
import { routeOf } from '../../../api/client.ts';
import { formatDecimal } from '../../../core/amount.ts';
import { ConfigError, messageOf } from '../../../core/errors.ts';
import { LEVELS_MAX, parseBounded } from '../../../core/nesting.ts';
import { configOf, stateOverride, type LoadedConfig } from '../../../app/config/load.ts';
import { withSendingVenue, withVenue, type Connection } from '../../../app/environment/connect.ts';
import type { CommandContext } from '../../../process/context.ts';
import { EXIT } from '../../../process/exitCodes.ts';
import { requireSending } from '../../../app/transfers/account.ts';
import { confirm, type Plan } from '../../../app/transfers/confirm.ts';
import { sentOnce } from '../../../app/transfers/walletSends.ts';
import { toJson } from '../../../process/output.ts';
import { resolve } from 'node:path';
import { openApi } from '../../../api/openapi.ts';
import { OPENAPI, requirePlace, writeWhole } from '../../../process/files.ts';

export type ApiOptions = Readonly<{
  method: string;
  path: string;
  query?: readonly string[];
  data?: string;
  dryRun?: boolean;
  yes?: boolean;
  allow?: readonly string[];
  state?: string;
}>;

const METHODS: readonly string[] = ['GET', 'POST', 'DELETE'] satisfies Method[];
const isMethod = (text: string): text is Method => METHODS.includes(text);

/**
 * `drover api`: one signed call; prints the envelope, or with `--dry-run` the request. Before a call that changes
 * something at the venue it lists the checks that are skipped, and asks.
 */
export async function apiCommand(options: ApiOptions, context: CommandContext): Promise<number> {
  const { method, path, parts } = requestOf(options);
  const textOf = (value: unknown) => (context.json ? toJson(value) : JSON.stringify(value, null, 2));
  const loaded = configOf(context, stateOverride(options));
  if (method !== 'GET' && !options.dryRun) requireSending(loaded, method === 'DELETE' ? 'reduces' : 'adds');
  const allow = [...loaded.config.signing.allow, ...groupsOf(options.allow ?? [])];
  // A call that will be denied needs no confirmation; one that is safe to repeat changes nothing.
  const isDenied = denialOf({ method, path }, new Set(allow)) !== null;
  const asks = !isDenied && routeOf(method, path).repeat === 'never';
  const call = async ({ client }: Connection) => {
    if (options.dryRun) {
      context.terminal.out(textOf(client.dryRun(method, path, parts)));
      return EXIT.done;
    }
    if (asks)
      confirm(
        planOf({ method, path, body: client.redact(options.data ?? '') }, loaded),
        options.yes ?? false,
        context,
      );
    const doubt = { what: `${method} ${path}`, look: lookAfter(path) };
    const envelope = await sentOnce(() => client.call(method, path, parts), doubt);
    context.terminal.out(client.redact(textOf(envelope)));
    return envelope.code === 200 ? EXIT.done : EXIT.venue;
  };
  const isRead = method === 'GET' || options.dryRun === true;
  return isRead ? withVenue(context, call) : withSendingVenue({ loaded, context, allow }, call);
}

/** Maximum length of a body that is shown in full. */
const BODY_MAX = 500;

type Call = Readonly<{ method: Method; path: string; body: string }>;

/** The call, and each check of a run or of `drover orders place` that it bypasses. */
function planOf({ method, path, body }: Call, { config }: LoadedConfig): Plan {
  const { killFile: _killFile, onKill: _onKill, ...limits } = config.limits;
  const set = Object.entries(limits).map(([name, most]) => {
    if (typeof most === 'bigint') return `${name} ${formatDecimal(most)} mUSD`;
    return typeof most === 'object' ? name : `${name} ${most}`;
  });
  const shown = body.length > BODY_MAX ? `${body.slice(0, BODY_MAX)}… (${body.length} characters)` : body;
  return {
    what: `Send: ${method} ${path}`,
    facts: [
      ['body', shown === '' ? 'none' : shown],
      ['not applied', `limits of the config: ${set.length > 0 ? set.join(', ') : 'it sets none'}`],
      [
        'not checked',
        'balance, session, price against the quote, contract against the known one, frozen and halted symbols',
      ],
      ['not journaled', 'a run on this key sees an order placed this way as an external one'],
    ],
  };
}

const LOOKS: readonly (readonly [path: string, command: string])[] = [
  ['/api/v1/1ct/', 'drover oneclick status'],
  ['/api/v1/orders', 'drover orders list'],
  ['/api/v1/cash/', 'drover cash list'],
  ['/api/v1/stock/', 'drover stock list'],
  ['/api/v1/deferred-sell/', 'drover debt list'],
];

/** Commands that show the effect of a send to this path. */
function lookAfter(path: string): string {
  const [, command] = LOOKS.find(([start]) => path.startsWith(start)) ?? [];
  return [...(command === undefined ? [] : [command]), 'drover balance']
    .map((each) => `\`${each}\``)
    .join(' and ');
}

/** @throws {ConfigError} for an unknown group */
function groupsOf(texts: readonly string[]): AllowedGroup[] {
  const wrong = texts.find((text) => !isAllowedGroup(text));
  if (wrong !== undefined)
    throw new ConfigError(`--allow: must be one of ${ALLOWED_GROUPS.join(', ')}, got ${wrong}`);
  return texts.filter(isAllowedGroup);
}

/** @throws {ConfigError} for an invalid method, path, query or body */
function requestOf({ method, path, query = [], data }: ApiOptions) {
  const verb = method.toUpperCase();
  if (!isMethod(verb))
    throw new ConfigError(`${method} is not a method of the venue. Use GET, POST or DELETE`);
  if (!path.startsWith('/api/v1/'))
    throw new ConfigError(`${path} must start with /api/v1/, such as /api/v1/symbols`);
  if (data !== undefined) requireJson(data);
  const parts = {
    ...(query.length > 0 && { query: queryOf(query) }),
    ...(data !== undefined && { body: data }),
  };
  return { method: verb, path, parts };
}

function queryOf(pairs: readonly string[]): Record<string, string> {
  const query: Record<string, string> = Object.create(null) as Record<string, string>;
  for (const pair of pairs) {
    const equals = pair.indexOf('=');
    const name = pair.slice(0, equals);
    if (equals < 1) throw new ConfigError(`--query ${pair} must be name=value`);
    if (name in query) throw new ConfigError(`--query gives ${name} twice`);
    query[name] = pair.slice(equals + 1);
  }
  return query;
}

/** @throws {ConfigError} for text that is not JSON, or nested deeper than any body of the venue */
function requireJson(text: string): void {
  try {
    parseBounded(text, LEVELS_MAX);
  } catch (cause) {
    throw new ConfigError(
      `--data is not JSON that can be sent: ${messageOf(cause)}. Put it in single quotes`,
      {},
      { cause },
    );
  }
}

/** `drover openapi`: prints the venue's OpenAPI document, or writes it with `--out`. @throws {ConfigError} when it cannot */
export function openapiCommand(
  { out }: Readonly<{ out?: string }>,
  { terminal, json, cwd }: CommandContext,
): number {
  const document = openApi();
  const text = json ? toJson(document) : JSON.stringify(document, null, 2);
  if (out === undefined) terminal.out(text);
  else {
    const path = resolve(cwd, out);
    requirePlace(path, '--out', OPENAPI);
    writeWhole(path, `${text}\n`, '--out');
    terminal.err(`Wrote the document to ${out}.`);
  }
  return EXIT.done;
}
