import { NotSentError } from '../core/errors.ts';
import type { Endpoint, Method, Route } from './endpoint.ts';
import * as endpoints from './endpoints/index.ts';

type Path = Endpoint['path'];
const isPath = (text: string): text is Path => text.startsWith('/api/v1/');

const table = Object.values<Endpoint>(endpoints).map((endpoint) => ({
  endpoint,
  pattern: new RegExp(`^${endpoint.path.replace(/\{\w+\}/g, '[^/]+')}$`),
}));

/** The endpoint that a method and a path without query stand for. */
export const matchEndpoint = (method: Method, path: string): Endpoint | undefined =>
  table.find(({ endpoint, pattern }) => endpoint.method === method && pattern.test(path))?.endpoint;

/** How a call of any path goes. One that no endpoint is known for is a read if it is a GET, and else is never repeated. */
export function routeOf(method: Method, path: string): Route {
  const known = matchEndpoint(method, path);
  if (known) return known;
  if (!isPath(path)) throw new NotSentError(`${JSON.stringify(path)} does not start with /api/v1/`);
  return method === 'GET'
    ? { method, path, access: 'READ_ONLY', repeat: 'always', lane: 'data' }
    : { method, path, access: 'WRITABLE', repeat: 'never', lane: 'send' };
}
