import type * as Esbuild from 'esbuild';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';

const require = createRequire(import.meta.url);

/** Beside this file where the program is built. */
const BUILT = new URL('strategyThread.js', import.meta.url);
const SOURCE = new URL('strategyThread.ts', import.meta.url);

let made: URL | undefined;

/** Entry file of a thread of strategies: part of the built program, or bundled on the spot when it runs from sources. */
export function threadEntry(): URL {
  made ??= existsSync(BUILT) ? BUILT : fromSource();
  return made;
}

function fromSource(): URL {
  const { buildSync } = require('esbuild') as typeof Esbuild;
  const { outputFiles } = buildSync({
    entryPoints: [fileURLToPath(SOURCE)],
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'node',
    target: 'node20',
  });
  const code = Buffer.from(outputFiles[0]?.contents ?? []).toString('base64');
  return new URL(`data:text/javascript;base64,${code}`);
}
