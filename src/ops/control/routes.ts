import { isDeepStrictEqual } from 'node:util';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Clock } from '../../core/clock.ts';
import { OutcomeUnknownError } from '../../core/errors.ts';
import type {
  CommandId,
  OperatorAnswer,
  OperatorCommand,
  OperatorRequest,
} from '../../domain/operator/command.ts';
import type { Daemon } from '../daemon.ts';
import { statusSchema } from '../model/status.ts';
import { handRowOf } from '../model/handRow.ts';
import { handRoutesOf, withOwnIds } from './handRoutes.ts';
import { RefusedRequest, type Caller } from './request.ts';
import { VERBS, type Verb } from './steering.ts';

/** A request that has passed the checks of its listener. */
export type Call = Readonly<{
  caller: Caller;
  params: Readonly<Record<string, string>>;
  query: unknown;
  body: unknown;
}>;

/** `body`: a value sent as JSON, or a text of `type`. */
export type Reply = Readonly<{ status: 200 | 202 | 503; body: unknown; type?: string }>;

/** An endpoint of the API. Its method decides the role: GET needs `read`, POST `operate`. */
export type Route = Readonly<{
  method: 'GET' | 'POST';
  /** With `:name` for parameters. */
  path: string;
  summary: string;
  query?: z.ZodType;
  body?: z.ZodType;
  answer: z.ZodType;
  /** True for orders and transfers by hand. */
  isMoney?: boolean;
  /** True for an endpoint that needs no token. */
  isOpen?: boolean;
  /** Null when it answers by the raw response. */
  handle: (call: Call, reply: FastifyReply) => Reply | null | Promise<Reply | null>;
}>;

/** Longest wait of a request for the answer to its command, in ms. */
const ANSWER_MS = 20_000;

const answered = z.object({
  id: z.string(),
  done: z.boolean().describe('false while the command waits for the venue: ask GET /v1/commands/:id'),
  text: z.string().optional(),
  result: z.record(z.string(), z.unknown()).optional(),
});

const commandSchema = z.object({
  id: z.string(),
  by: z.string(),
  reason: z.string(),
  command: z.record(z.string(), z.unknown()),
  done: z.boolean(),
  answer: z.record(z.string(), z.unknown()).nullable(),
  progress: z.object({
    isDone: z.boolean(),
    cancelled: z.number(),
    sold: z.number(),
    left: z.array(z.string()),
  }),
  sent: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe('the order or the transfer of a command by hand; null before there is one'),
  ended: z
    .object({ how: z.string(), why: z.string() })
    .nullable()
    .describe('end of an order by hand, with its reason; null before it'),
});

export const ok = (body: unknown): Reply => ({ status: 200, body });

/** Endpoints that look at a run. */
const readsOf = (daemon: Daemon): Route[] => [
  {
    method: 'GET',
    path: '/v1/status',
    summary: 'The run on one screen.',
    answer: statusSchema,
    handle: () => ok(daemon.status()),
  },
  {
    method: 'GET',
    path: '/v1/commands/:id',
    summary: 'A command, its answer and what is left of it.',
    answer: commandSchema,
    handle: ({ params }) => ok(commandOf(daemon, params['id'] ?? '')),
  },
];

function commandOf(daemon: Daemon, id: string): z.output<typeof commandSchema> {
  const found = daemon.progress(id as CommandId);
  if (!found) throw new RefusedRequest('NOT_FOUND', 'there is no command of this id in this journal');
  const { request, answer, isDone, cancelled, sold, left } = found;
  const { by, reason, command } = request;
  return {
    id,
    by,
    reason,
    command,
    done: answer !== null,
    answer,
    progress: { isDone, cancelled, sold, left: [...left] },
    sent: handRowOf(found),
    ended: found.ended ?? null,
  };
}

type Parts = Readonly<{ daemon: Daemon; clock: Pick<Clock, 'sleep'> }>;

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

async function steer(verb: Verb, { caller, body }: Call, { daemon, clock }: Parts): Promise<Reply> {
  const given = verb.parse(body);
  const request = { ...given, by: caller.by, command: withOwnIds(given.command, daemon) };
  requireSame(request, daemon);
  const { id } = request;
  const answer = await answerOf(request, { daemon, clock });
  if (answer === null) return { status: 202, body: { id, done: false } };
  if (answer.kind === 'done')
    return { status: 200, body: { id, done: true, text: answer.text, result: answer.result } };
  throw new RefusedRequest(answer.because === 'safety' ? 'SAFETY' : 'USAGE', answer.text);
}

/** True for one command given twice; the daemon adds the alarms or settings that are meant. */
const isSame = (known: OperatorCommand, given: OperatorCommand): boolean =>
  known.kind === given.kind &&
  (known.kind === 'reload' ||
    (known.kind === 'acknowledge' && given.kind === 'acknowledge' && known.alarm === given.alarm) ||
    isDeepStrictEqual(known, given));

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
async function answerOf(request: OperatorRequest, { daemon, clock }: Parts): Promise<OperatorAnswer | null> {
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

/** Every endpoint of the API. */
export const routesOf = (parts: Parts): readonly Route[] => [
  ...readsOf(parts.daemon),
  ...handRoutesOf(parts.daemon),
  ...steeringOf(parts),
];
