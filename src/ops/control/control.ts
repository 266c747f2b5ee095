import type { FastifyInstance } from 'fastify';
import type { Clock, Host } from '../../core/clock.ts';
import { messageOf } from '../../core/errors.ts';
import type { Log } from '../../core/log.ts';
import type { Secrets } from '../../core/secrets.ts';
import type { Daemon } from '../daemon.ts';
import { fleetRoute } from '../page/fleet.ts';
import { PageFiles } from '../page/files.ts';
import { inviteTo, openSignIn, signInRoutes, type SignIn } from '../page/signIn.ts';
import { ThreadedPastReads } from '../past/pastReads.ts';
import type { Door, Tokens } from './access.ts';
import { EventStream } from './events.ts';
import { JournalPages } from './journalPages.ts';
import type { Route } from './route.ts';
import { routesOf } from './routes.ts';
import { createControlServer } from './server.ts';
import { freeSocketPlace, restrictSocket } from './socket.ts';
import { closeServer, listenOnTcp, reachable, type Listen, type Listener } from './tcp.ts';
import type { PastRun } from '../past/ownRecords.ts';

export type ControlOptions = Readonly<{
  daemon: Daemon;
  /** Run whose history is read from its journal. */
  past: PastRun;
  /** False until the run has read its journal; requests are refused until then. */
  hasBegun: () => boolean;
  /** Clock of the machine, whichever clock the run uses. */
  clock: Clock;
  host: Pick<Host, 'after' | 'turn'>;
  secrets: Secrets;
  log: Log;
  /** Name of this user, for the journal. */
  user: string;
  /** This user's runtime folder, for a socket whose path would be too long. */
  runtime?: string | undefined;
  /** Absent without TCP. */
  tcp?: TcpListener | undefined;
  /** Absent if no page is served. */
  page?: PageOptions | undefined;
}>;

/**
 * The page: the run's name there, the folder of its files, the command that starts drover, and a source of random bytes. `allowsMoney`: orders and transfers are
 * currently allowed from it, even through the socket.
 */
export type PageOptions = Readonly<{
  name: string;
  folder: string;
  program?: string;
  bytes: (length: number) => Uint8Array;
  allowsMoney: () => boolean;
}>;

/** TCP listener. `allowsMoney`: orders and transfers are currently allowed over it. `publicUrl`: of the proxy in front. */
export type TcpListener = Readonly<{
  listen: Listen;
  tokens: Tokens;
  allowsMoney: () => boolean;
  publicUrl?: string | undefined;
}>;

/**
 * Listeners of a run. `socket`: its path; null if it could not be created, for the reason in `problem`. `url`: of TCP. `invite`: URL
 * of the page with a new one-time code; null without TCP or a page.
 */
export type Control = Readonly<{
  socket: string | null;
  problem: string | null;
  url: string | null;
  invite: () => string | null;
  close: () => Promise<void>;
}>;

/**
 * Opens the control API of a run: the Unix socket in its state folder, and TCP if configured. Failure to create the socket
 * is only reported, because a run without control still trades.
 * @throws {ConfigError} when the TCP address cannot be used
 */
export async function openControl(options: ControlOptions): Promise<Control> {
  const { daemon, host, secrets } = options;
  const pages = new JournalPages(options.past.journal, host);
  const past = new ThreadedPastReads(options.past, host);
  const stream = new EventStream({ daemon, pages, host, secrets });
  const page = pageOf(options);
  let url: string | null = null;
  const own = page?.routes(() => url) ?? [];
  const routes = routesOf({ ...options, pages, past, stream, own });
  const shared = { ...options, routes, page };
  const tcp = options.tcp === undefined ? null : await openTcp(shared, options.tcp);
  url = options.tcp?.publicUrl ?? (tcp && reachable(tcp.url));
  const { path, problem, close } = await openSocket(shared);
  return {
    socket: path,
    problem,
    url: tcp?.url ?? null,
    invite: () => (url === null || !page ? null : inviteTo(url, page.signIn.codes.make('operate'))),
    async close() {
      stream.close();
      past.close();
      await Promise.all([close(), tcp && closeServer(tcp.server, host)]);
      pages.close();
    },
  };
}

type OwnPage = Pick<PageOptions, 'allowsMoney'> &
  Readonly<{
    files: PageFiles;
    signIn: SignIn;
    /** Endpoints of the page only. `url`: address of the page over TCP. */
    routes: (url: () => string | null) => readonly Route[];
  }>;

/** The page of a run and its sign-in; undefined if none is served. */
function pageOf({ page, tcp, daemon, clock, host }: ControlOptions): OwnPage | undefined {
  if (page === undefined) return undefined;
  const { stateDir } = daemon.identity;
  const signIn = openSignIn({ stateDir, tokens: tcp?.tokens ?? {}, clock, host, bytes: page.bytes });
  const routes = (pageUrl: () => string | null) => [
    ...signInRoutes({ signIn, pageUrl, program: page.program }),
    fleetRoute([{ name: page.name, base: '' }]),
  ];
  return { files: new PageFiles(page.folder), allowsMoney: page.allowsMoney, signIn, routes };
}

type SharedOptions = Omit<ControlOptions, 'page'> &
  Readonly<{ routes: readonly Route[]; page: OwnPage | undefined }>;

const serverAt = (door: Door, { page, ...shared }: SharedOptions): FastifyInstance =>
  createControlServer({ ...shared, identity: shared.daemon.identity, page: page?.files, door });

function openTcp(
  shared: SharedOptions,
  { listen, tokens, allowsMoney, publicUrl }: TcpListener,
): Promise<Listener> {
  const { stateDir } = shared.daemon.identity;
  const origin = publicUrl === undefined ? undefined : new URL(publicUrl).origin;
  const sessions = shared.page && { sessions: shared.page.signIn.sessions };
  const door = { kind: 'tcp', host: listen.host, tokens, allowsMoney, origin, ...sessions } as const;
  return listenOnTcp(() => serverAt(door, shared), { listen, stateDir, what: 'control.listen' });
}

type OpenSocket = Readonly<{ path: string | null; problem: string | null; close: () => Promise<void> }>;

async function openSocket(options: SharedOptions): Promise<OpenSocket> {
  const { daemon, runtime, host, user } = options;
  try {
    const place = await freeSocketPlace(daemon.identity.stateDir, { runtime }, host);
    const allowsMoney = options.page?.allowsMoney ?? (() => false);
    const server = serverAt({ kind: 'socket', user, allowsMoney }, options);
    try {
      await server.listen({ path: place.path });
      restrictSocket(place.path);
      // Drops anyone who connected before the socket was private.
      server.server.closeAllConnections();
    } catch (error) {
      await server.close();
      place.remove();
      throw error;
    }
    const close = async () => {
      await closeServer(server, host);
      place.remove();
    };
    return { path: place.path, problem: null, close };
  } catch (error) {
    return { path: null, problem: messageOf(error), close: () => Promise.resolve() };
  }
}
