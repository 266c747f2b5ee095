import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import type { Clock, Host } from '../../core/clock.ts';
import { toIso } from '../../core/brand.ts';
import { messageOf } from '../../core/errors.ts';
import { VERSION } from '../../core/version.ts';
import { roleOf, type Tokens } from '../control/access.ts';
import { RefusedRequest, type Caller } from '../control/request.ts';
import { ok, type Call, type Reply, type Route } from '../control/route.ts';
import { CODE_MS, Codes } from './codes.ts';
import { Sessions, type Role } from './sessions.ts';
import { EndedSessions, KEY_BYTES, pageKey } from './sessionStore.ts';

/** Sign-in state of the page: sessions, unused codes and tokens. One for all listeners of a run. */
export type SignIn = Readonly<{ sessions: Sessions; codes: Codes; tokens: Tokens }>;

type SignInParts = Readonly<{
  /** Folder that stores the session key and ended sessions; null for sessions that end with this process. */
  stateDir: string | null;
  tokens: Tokens;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  host: Pick<Host, 'after'>;
  /** Unpredictable bytes. */
  bytes: (length: number) => Uint8Array;
}>;

/** Creates the sign-in of a run's page. The key in the state folder is read, or created, when first needed. */
export const openSignIn = ({ stateDir, tokens, clock, host, bytes }: SignInParts): SignIn => ({
  sessions: new Sessions({
    key: () => (stateDir === null ? Buffer.from(bytes(KEY_BYTES)) : pageKey(stateDir, bytes)),
    tokenOf: (role) => tokens[role],
    ended: new EndedSessions(stateDir, clock),
    bytes,
    clock,
    host,
  }),
  codes: new Codes({ clock, bytes }),
  tokens,
});

/** URL of a page that signs a browser in. `url`: without a trailing slash. */
export const inviteTo = (url: string, code: string): string => `${url}/#code=${code}`;

const role = z.enum(['read', 'operate']);

const sessionSchema = z.object({
  role: role.nullable().describe('null: nobody is signed in'),
  by: z.string().describe('name that the journal keeps of a command'),
  money: z.boolean().describe('manual orders and transfers are accepted'),
  expires: z
    .string()
    .nullable()
    .describe('end of the session unless it is used, ISO 8601 UTC; null without one'),
  version: z.string().describe('of this program'),
  program: z
    .string()
    .describe('command that starts this program where it runs; just `drover` if not signed in'),
});
export type SessionView = z.output<typeof sessionSchema>;

/** Folder of the page in the browser, for the path of its cookie. */
const folder = z
  .string()
  .max(200)
  .regex(/^\/(?:[A-Za-z0-9._~-]+\/)*$/, 'must be the path of a folder, such as /drover/')
  .default('/');

const signInBody = z
  .strictObject({
    code: z.string().min(1).max(100).optional().describe('one-time code, as `drover dashboard` prints it'),
    token: z.string().min(1).max(4_096).optional().describe('read token or operate token'),
    path: folder.describe('folder of the page in the browser, the path of the cookie'),
  })
  .refine(({ code, token }) => (code === undefined) !== (token === undefined), {
    message: 'give code or token, one of them',
  });

const codeBody = z.strictObject({ role: role.default('operate').describe('role of whoever uses the code') });
const codeSchema = z.object({
  code: z.string().describe('can be used once'),
  expiresInMs: z.number(),
  url: z.string().nullable().describe('address of the page over TCP; null without one'),
});

type RouteParts = Readonly<{
  signIn: SignIn;
  /** URL of the page over TCP, without a trailing slash; null without one. */
  pageUrl: () => string | null;
  /** Command that starts drover on the daemon's machine. */
  program: string | undefined;
}>;

/** Endpoints for signing a browser in and out. */
export const signInRoutes = ({ signIn, pageUrl, program }: RouteParts): Route[] => [
  {
    method: 'GET',
    path: '/v1/session',
    summary: 'Shows who is signed in. Needs no token.',
    answer: sessionSchema,
    isOpen: true,
    handle: ({ caller }) => ok(viewOf(caller, program)),
  },
  {
    method: 'POST',
    path: '/v1/session',
    summary: 'Signs a browser in by a one-time code or a token: the answer sets a cookie.',
    body: signInBody,
    answer: z.object({ role }),
    isOpen: true,
    handle: (call, reply) => begin(call, reply, signIn),
  },
  {
    method: 'DELETE',
    path: '/v1/session',
    summary: 'Signs a browser out: its session ends, and the answer removes its cookie.',
    answer: z.object({ role: role.nullable() }),
    isOpen: true,
    handle: (call, reply) => leave(call, reply, { ...signIn, which: 'own' }),
  },
  {
    method: 'DELETE',
    path: '/v1/sessions',
    summary: 'Ends the sessions of all browsers, and the one-time codes that wait.',
    answer: z.object({ role: role.nullable() }),
    handle(call, reply) {
      signIn.codes.clear();
      return leave(call, reply, { ...signIn, which: 'all' });
    },
  },
  {
    method: 'POST',
    path: '/v1/session-codes',
    summary:
      'Makes a one-time code for a browser, valid for two minutes. Needs the operate token, not a cookie.',
    body: codeBody,
    answer: codeSchema,
    handle({ caller, body }) {
      if (caller.way === 'page')
        throw new RefusedRequest('FORBIDDEN', 'a page makes no codes for others: run `drover dashboard`');
      const code = signIn.codes.make(codeBody.parse(body).role);
      return ok({ code, expiresInMs: CODE_MS, url: pageUrl() });
    },
  },
];

/** View of the caller. The command that starts drover may contain a local path, which is not for others. */
const viewOf = ({ way, role: of, by, money, session }: Caller, program = 'drover'): SessionView => ({
  role: way === 'nobody' ? null : of,
  by,
  money,
  expires: session ? toIso(session.expires) : null,
  version: VERSION,
  program: way === 'nobody' ? 'drover' : program,
});

type SignOut = Readonly<{ sessions: Sessions; which: 'own' | 'all' }>;

/** Ends sessions, and deletes the caller's cookie. @throws {RefusedRequest} if a restart would forget that they ended */
function leave({ caller: { session } }: Call, reply: FastifyReply, { sessions, which }: SignOut): Reply {
  if (session) void reply.header('set-cookie', sessions.removal(session));
  try {
    if (which === 'all') sessions.endAll();
    else if (session) sessions.end(session);
  } catch (error) {
    throw new RefusedRequest('INTERNAL', `${FORGETFUL}: ${messageOf(error)}`);
  }
  return ok({ role: null });
}

/** Starts a session. @throws {RefusedRequest} for an invalid code or token */
function begin({ body }: Call, reply: FastifyReply, { sessions, codes, tokens }: SignIn): Reply {
  const { code, token, path } = signInBody.parse(body);
  const via = code === undefined ? 'token' : 'code';
  const given: Role | null = code === undefined ? roleOf(token ?? '', tokens) : codes.take(code);
  if (given === null) throw new RefusedRequest('UNAUTHORIZED', via === 'code' ? STALE_CODE : WRONG_TOKEN);
  const isSecure = reply.request.headers.origin?.startsWith('https:') ?? false;
  void reply.header('set-cookie', sessions.begin({ role: given, via, path, isSecure }));
  return ok({ role: given });
}

const FORGETFUL =
  'signed out, but this could not be stored: after a restart, a copy of the cookie is valid again. Remove page.key there before you restart';
const STALE_CODE =
  'this code is wrong, was used before, or is older than two minutes: `drover dashboard` prints a new one';
const WRONG_TOKEN = 'this is neither the read token nor the operate token of the run';
