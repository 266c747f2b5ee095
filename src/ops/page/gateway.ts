import { z } from 'zod';
import type { Clock, Host } from '../../core/clock.ts';
import type { Log } from '../../core/log.ts';
import type { Secrets } from '../../core/secrets.ts';
import { RefusedRequest } from '../control/request.ts';
import { createControlServer } from '../control/server.ts';
import { closeServer, listenOnTcp, type Listen } from '../control/tcp.ts';
import { CODE_MS } from './codes.ts';
import { fleetRoute } from './fleet.ts';
import { Forwarder, type Reach } from './forwarder.ts';
import { PageFiles } from './files.ts';
import { inviteTo, openSignIn, signInRoutes } from './signIn.ts';
import type { Role } from './sessions.ts';

/** A daemon behind a gateway. `base`: prefix of its API, such as `d/two/`; empty if it is the only one. */
export type Upstream = Readonly<{ name: string; base: string; reach: Reach }>;

type GatewayOptions = Readonly<{
  upstreams: readonly Upstream[];
  listen: Listen;
  /** Folder that stores port and key, so that an open page finds the next gateway; null for none. */
  stateDir: string | null;
  /** Folder of the built page. */
  folder: string;
  /** Command that starts drover. */
  program?: string;
  bytes: (length: number) => Uint8Array;
  clock: Pick<Clock, 'now' | 'monotonic'>;
  host: Pick<Host, 'after'>;
  secrets: Secrets;
  log: Log;
}>;

/** A listening gateway. `invite`: its URL with a new one-time code for a role, valid for `expiresInMs`. */
export type Gateway = Readonly<{
  invite: (role: Role) => Readonly<{ url: string; expiresInMs: number }>;
  close: () => Promise<void>;
}>;

/** Maximum length of a daemon's name in a URL, in characters. */
const NAME_MAX = 60;
/** Name of a daemon in a fleet, used in the page's URL. */
export const upstreamName = z
  .string()
  .max(NAME_MAX)
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]*$/, 'must be letters, digits, hyphens, dots and underscores');

/**
 * Opens a gateway on loopback: it serves the page, signs browsers in with its own codes, and forwards their requests to the daemons
 * behind it.
 * @throws {ConfigError} when the address cannot be used
 */
export async function openGateway(options: GatewayOptions): Promise<Gateway> {
  const { listen, stateDir, upstreams, host } = options;
  const signIn = openSignIn({ ...options, tokens: {} });
  let url = '';
  const routes = [
    ...signInRoutes({ signIn, pageUrl: () => url, program: options.program }),
    fleetRoute(upstreams.map(({ name, base }) => ({ name, base }))),
  ];
  const page = new PageFiles(options.folder);
  const { sessions } = signIn;
  // Each daemon decides about money itself: the forwarded requests are marked as coming from a page.
  const door = { kind: 'tcp', host: listen.host, tokens: {}, allowsMoney: () => true, sessions } as const;
  const forwarder = new Forwarder();
  const create = () => {
    const server = createControlServer({
      ...options,
      routes,
      identity: null,
      page,
      hasBegun: () => true,
      door,
    });
    for (const { name, base, reach } of upstreams)
      server.route({
        method: ['GET', 'POST'],
        url: `/${base}v1/*`,
        handler(request, reply) {
          const session = sessions.of(request.headers.cookie ?? null);
          if (session === null)
            throw new RefusedRequest('UNAUTHORIZED', 'the session has ended: sign in again');
          const path = request.originalUrl.slice(base.length);
          return forwarder.forward(request, reply, { name, reach, path, session });
        },
      });
    return server;
  };
  const listener = await listenOnTcp(create, { listen, stateDir, what: 'drover dashboard' });
  url = listener.url;
  return {
    invite: (role) => ({ url: inviteTo(url, signIn.codes.make(role)), expiresInMs: CODE_MS }),
    async close() {
      await forwarder.close();
      await closeServer(listener.server, host);
    },
  };
}
