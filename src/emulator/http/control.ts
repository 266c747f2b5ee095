import { fastify, type FastifyInstance } from 'fastify';
import { z } from 'zod';
import { DAY_MS, epochMs, toIso, type EpochMs } from '../../core/brand.ts';
import type { Clock } from '../../core/clock.ts';
import { InvalidValueError } from '../../core/errors.ts';
import { VirtualClock } from '../../core/virtualClock.ts';
import {
  commands,
  parseCommand,
  type Command,
  script,
  scriptView,
  type Script,
} from '../machine/commands.ts';
import { constantsView, type VenueReply } from '../state/constants.ts';
import { planView } from '../faults/plan.ts';
import { refusalOf, endWith } from './server.ts';
import type { Input, Machine } from '../machine/machine.ts';

const YEARS_AHEAD_MS = 10 * 366 * DAY_MS;

const clockMove = z.union([
  z.strictObject({ advanceMs: z.int().min(0).max(YEARS_AHEAD_MS) }),
  z.strictObject({ to: z.iso.datetime() }),
]);

export type ControlOptions = Readonly<{ machine: Machine; clock: Clock; keep: (input: Input) => void }>;

/**
 * Control port for tests, which no venue has: ground truth, clock, faults, market and external money. A wrong command
 * is answered with 400 and `error`, and changes nothing.
 */
export function createControlServer(options: ControlOptions): FastifyInstance {
  const { machine, clock } = options;
  const server = openServer(clock);
  server.setErrorHandler((error, _request, reply) => {
    const wrong = error instanceof InvalidValueError || error instanceof z.ZodError;
    const { statusCode = 500 } = error as { statusCode?: number };
    const status = wrong ? 400 : statusCode;
    return reply.code(status).send({ error: wrong ? textOf(error) : String(error) });
  });
  server.get('/truth', () => machine.truth(clock.now()));
  server.get('/openapi.json', async () => (await import('../../api/openapi.ts')).openApi());
  server.get('/clock', () => clockState(clock));
  server.post('/clock', async ({ body }) => {
    await moveClock(options, clockMove.parse(body));
    return clockState(clock);
  });
  for (const kind of Object.keys(commands) as Command['kind'][])
    server.post(`/${kind}`, ({ body }) => obey(options, parseCommand(kind, body)));
  server.get('/faults', () => machine.read(({ state }) => planView(state), clock.now()));
  server.delete('/faults', () => obey(options, parseCommand('faults', {})));
  server.get('/constants', () => machine.read(({ state }) => constantsView(state), clock.now()));
  server.get('/script', () => machine.read(({ state }) => scriptView(state), clock.now()));
  server.post('/script', ({ body }) => direct(options, script.parse(body)));
  server.delete('/script', () => direct(options, null));
  return server;
}

/** Creates a server that rejects requests a web page could send, and answers unknown routes with `error` as well. */
function openServer(clock: Clock): FastifyInstance {
  const server = fastify({
    forceCloseConnections: true,
    http: { requireHostHeader: false },
    clientErrorHandler: (_error, socket) => endWith(socket, NOT_HTTP),
  });
  // A web page's form can send this type without a preflight request.
  server.removeContentTypeParser('text/plain');
  server.addHook('onRequest', async (request, reply) => {
    if (clock instanceof VirtualClock) clock.touch();
    const refusal = refusalOf({ target: request.originalUrl, rawHeaders: request.raw.rawHeaders }, true);
    if (refusal) await reply.code(refusal.status).send({ error: refusal.why });
  });
  server.setNotFoundHandler(async ({ url, method }, reply) => {
    const isThere = server.supportedMethods.some((other) => server.hasRoute({ url, method: other }));
    return reply.code(isThere ? 405 : 404).send({ error: `there is no ${method} of this path` });
  });
  return server;
}

const NOT_HTTP: VenueReply = {
  status: 400,
  headers: { 'content-type': 'application/json' },
  body: '{"error":"this is not HTTP"}',
};

const textOf = (error: InvalidValueError | z.ZodError): string =>
  error instanceof z.ZodError ? z.prettifyError(error) : error.message;

/** The clock as JSON: `speed` is what `drover emulator --speed` takes. */
const clockState = (clock: Clock) => ({
  now: toIso(clock.now()),
  speed: clock instanceof VirtualClock ? clock.pace : 1,
});

async function moveClock({ machine, clock, keep }: ControlOptions, move: z.output<typeof clockMove>) {
  if (!(clock instanceof VirtualClock) || clock.pace !== 0)
    throw new InvalidValueError('this clock moves by itself: start the emulator with --speed 0');
  const now = clock.now();
  const target = 'to' in move ? epochMs(Date.parse(move.to)) : epochMs(now + move.advanceMs);
  if (target < now) throw new InvalidValueError(`it is ${toIso(now)} already, and time runs forwards`);
  await clock.advanceTo(target);
  keep({ at: target, kind: 'tick' });
  machine.advance(target);
}

function obey({ machine, clock, keep }: ControlOptions, command: Command): { now: string } {
  const at: EpochMs = clock.now();
  keep({ at, kind: 'command', command });
  machine.command(command, at);
  return { now: toIso(at) };
}

function direct({ machine, clock, keep }: ControlOptions, steps: Script | null): { now: string } {
  const at: EpochMs = clock.now();
  keep({ at, kind: 'script', script: steps });
  machine.script(steps, at);
  return { now: toIso(at) };
}
