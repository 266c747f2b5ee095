import { toJson } from '../core/json.ts';
import type { Secrets } from '../core/secrets.ts';
import { failureOf } from './control/problems.ts';
import { refusalBody, RefusedRequest, type Caller } from './control/request.ts';
import { patternOf, type ValueRoute } from './control/route.ts';

/** Function that requests an endpoint in this process, and returns a client's response. */
export type LocalCall = (
  request: Readonly<{ method: string; path: string; body?: unknown }>,
) => Promise<Readonly<{ status: number; body: unknown }>>;

type LocalCallParts = Readonly<{ routes: readonly ValueRoute[]; secrets: Secrets; by: string }>;

/** Calls endpoints in this process on behalf of its user, with the same checks and responses as over a run's socket. */
export function localCalls({ routes, secrets, by }: LocalCallParts): LocalCall {
  const caller: Caller = { role: 'operate', by, money: true, door: 'socket', way: 'socket' };
  return async ({ method, path, body }) => {
    const { pathname, searchParams } = new URL(path, 'http://localhost');
    const found = routes.find((route) => route.method === method && patternOf(route).test(pathname));
    const query = Object.fromEntries(searchParams);
    try {
      if (!found) throw new RefusedRequest('NOT_FOUND', `this command has no endpoint ${method} ${pathname}`);
      const call = { caller, params: paramsIn(found, pathname), query, body };
      const { status, body: value } = await found.handle(call);
      return { status, body: asRead(value, secrets) };
    } catch (error) {
      const failure = found ? failureOf(error, found, { query, body }) : error;
      if (!(failure instanceof RefusedRequest)) throw failure;
      return {
        status: failure.statusCode,
        body: asRead(refusalBody(failure.code, failure.message), secrets),
      };
    }
  };
}

/** Parameter values in a URL. */
function paramsIn(route: ValueRoute, address: string): Record<string, string> {
  const values = Object.entries(patternOf(route).exec(address)?.groups ?? {});
  return Object.fromEntries(values.map(([name, text]) => [name, decodeURIComponent(text)]));
}

const asRead = (value: unknown, secrets: Secrets): unknown => JSON.parse(secrets.redact(toJson(value)));
