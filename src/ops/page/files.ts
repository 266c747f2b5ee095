import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { orElse } from '../../core/errors.ts';

/** Media types of the page's files; no other file is served. */
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** Content security policy: nothing is loaded from elsewhere, and nothing inline is executed. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'referrer-policy': 'no-referrer',
  'x-frame-options': 'DENY',
  'x-content-type-options': 'nosniff',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
};

/** Asset names contain a hash of the content. */
const FOR_EVER = 'public, max-age=31536000, immutable';

const NOT_BUILT = 'The page is not built. In a clone of drover, run: npm run build\n';

/** `packed`: the body compressed with gzip. */
type PageFile = Readonly<{ body: Buffer; packed: Buffer; type: string; caching: string }>;

/** Files of the page by URL path. All are read at the first request. */
export class PageFiles {
  readonly #folder: string;
  #files: ReadonlyMap<string, PageFile> | null = null;

  /** @param folder contains `index.html` and `assets/` */
  constructor(folder: string) {
    this.#folder = folder;
  }

  /** File at a path; null if there is none. */
  at(path: string): PageFile | null {
    if (path !== '/' && !path.startsWith('/assets/')) return null;
    this.#files ??= filesIn(this.#folder);
    return this.#files.get(path) ?? null;
  }
}

function filesIn(folder: string): ReadonlyMap<string, PageFile> {
  const read = (name: string, caching: string): PageFile => {
    const body = readFileSync(join(folder, name));
    return { body, packed: gzipSync(body), type: TYPES[extname(name)] ?? '', caching };
  };
  return orElse(() => {
    const assets = readdirSync(join(folder, 'assets')).filter((name) => TYPES[extname(name)] !== undefined);
    return new Map([
      ['/', read('index.html', 'no-cache')],
      ...assets.map((name) => [`/assets/${name}`, read(join('assets', name), FOR_EVER)] as const),
    ]);
  }, new Map());
}

/** True for the path of the page or one of its assets, which need no sign-in: they contain nothing about a run. */
export const isPagePath = (target: string): boolean => {
  const path = pathOf(target);
  return path === '/' || path.startsWith('/assets/');
};

const pathOf = (target: string): string => target.split('?')[0] ?? '';

/** Serves the page at `/` and its assets at `/assets/`. */
export function addPage(server: FastifyInstance, files: PageFiles): void {
  for (const url of ['/', '/assets/*'])
    server.route({
      method: 'GET',
      url,
      handler({ originalUrl, headers }, reply) {
        const path = pathOf(originalUrl);
        const file = files.at(path);
        void reply.headers(HEADERS);
        if (file) {
          void reply.type(file.type).headers({ 'cache-control': file.caching, vary: 'accept-encoding' });
          if (!/\bgzip\b/.test(String(headers['accept-encoding']))) return reply.send(file.body);
          return reply.header('content-encoding', 'gzip').send(file.packed);
        }
        const text = files.at('/') ? 'There is no such file: load the page again.\n' : NOT_BUILT;
        return reply.code(404).type('text/plain; charset=utf-8').send(text);
      },
    });
}
