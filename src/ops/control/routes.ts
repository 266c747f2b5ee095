import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { toJson } from '../../core/json.ts';
import { OutcomeUnknownError } from '../../core/errors.ts';
import type { Secrets } from '../../core/secrets.ts';
import type {
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
  Reload,
} from '../../domain/operator/command.ts';
import type { Daemon } from '../daemon.ts';
import { handRoutesOf, withOwnIds } from './handRoutes.ts';
import { healthRoutesOf } from './healthRoutes.ts';
import { pastRoutesOf, type PastParts } from './pastRoutes.ts';
import { readsOf, type ReadParts } from './reads.ts';
import { RefusedRequest } from './request.ts';
import { ok, type Call, type Reply, type Route } from './route.ts';
import { VERBS, type Verb } from './steering.ts';

/** Longest wait of a request for the answer to its command, in ms. */
const ANSWER_MS = 20_000;

const answered = z.object({
  id: z.string(),
  done: z.boolean().describe('false while the command waits for the venue: ask GET /v1/commands/:id'),
  text: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
});

type Parts = Readonly<{ daemon: Daemon; clock: Pick<Clock, 'sleep'>; secrets: Secrets }>;

const steeringOf = (parts: Parts): Route[] =>
  Object.entries(VERBS).map(([name, verb]) => ({
    method: 'POST',
    path: `/v1/${name}`,
    summary: verb.summary,
    body: verb.body,
    answer: answered,
    isMoney: verb.isMoney,
    handle: (call) => steer(verb, call, parts),
  }));

async function steer(verb: Verb, { caller, body }: Call, parts: Parts): Promise<Reply> {
  const { daemon, secrets } = parts;
  const { id, reason, command } = verb.parse(body);
  requireNoSecret({ id, command }, secrets);
  const [by, why] = [secrets.redact(caller.by), secrets.redact(reason)];
  const request = { id, by, reason: why, command: withOwnIds(command, daemon) };
  requireSame(request, daemon);
  const answer = await answerOf(request, parts);
  if (answer === null) return { status: 202, body: { id, done: false } };
  if (answer.kind === 'done')
    return { status: 200, body: { id, done: true, text: answer.text, result: answer.result } };
  throw new RefusedRequest(answer.because === 'safety' ? 'SAFETY' : 'USAGE', answer.text);
}

/** Refuses a command that would leave a secret in the journal; in a reason it is masked. */
function requireNoSecret(command: object, secrets: Secrets): void {
  const text = toJson(command);
  if (secrets.redact(text) === text) return;
  throw new RefusedRequest('USAGE', 'a token or a key stands in the command: replace it. Nothing was done');
}

/** True for one command given twice; the daemon adds the alarms or settings that are meant. */
const isSame = (known: OperatorCommand, given: OperatorCommand): boolean =>
  known.kind === given.kind &&
  ((known.kind === 'reload' && given.kind === 'reload' && isSameReload(known, given)) ||
    (known.kind === 'acknowledge' && given.kind === 'acknowledge' && known.alarm === given.alarm) ||
    isDeepStrictEqual(known, given));

const isSameReload = (known: Reload, given: Reload): boolean =>
  (known.dryRun ?? false) === (given.dryRun ?? false) && (known.yes ?? false) === (given.yes ?? false);

/** Refuses an id that was used for another command: its answer would be taken for one to this. */
function requireSame({ id, command }: OperatorRequest, daemon: Daemon): void {
  const known = daemon.context.accountState.commands.of(id);
  if (!known || isSame(known.request.command, command)) return;
  throw new RefusedRequest(
    'USAGE',
    `the id ${id} was used for another command (${known.request.command.kind}). Nothing was done: give this one an id of its own`,
  );
}

/** Answer to a command; null when it does not come in time. @throws {RefusedRequest} when the run ends before */
async function answerOf(
  request: OperatorRequest,
  { daemon, clock }: Omit<Parts, 'secrets'>,
): Promise<OperatorAnswer | null> {
  const patience = new AbortController();
  const late = clock.sleep(ANSWER_MS, patience.signal).then(
    () => null,
    () => null,
  );
  try {
    return await Promise.race([daemon.command(request), late]);
  } catch (error) {
    if (error instanceof OutcomeUnknownError) throw new RefusedRequest('UNKNOWN', error.message);
    throw error;
  } finally {
    patience.abort();
  }
}

/** The document of the API as JSON, made once. */
async function describe(routes: readonly Route[], pages: ReadParts['pages']): Promise<string> {
  const { openApiOf } = await import('./openapi.ts');
  return toJson(await openApiOf(routes, () => pages.turn()));
}

/** Every endpoint of the API. `own`: those of the page. */
export function routesOf(
  parts: Parts & ReadParts & PastParts & Readonly<{ own?: readonly Route[] }>,
): readonly Route[] {
  const routes = [
    ...(parts.own ?? []),
    ...readsOf(parts),
    ...pastRoutesOf(parts),
    ...healthRoutesOf(parts),
    ...handRoutesOf(parts.daemon),
    ...steeringOf(parts),
  ];
  let text: Promise<string> | null = null;
  const document: Route = {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This document.',
    answer: z.looseObject({ openapi: z.string() }),
    handle: async () => ok(await (text ??= describe([...routes, document], parts.pages))),
  };
  return [...routes, document];
}
