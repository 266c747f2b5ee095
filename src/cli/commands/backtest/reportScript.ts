import type * as Esbuild from 'esbuild';
import { existsSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { OWN_FOLDER, programFile } from '../../../process/files.ts';

const require = createRequire(import.meta.url);

let made: string | undefined;

/** Script of a report: a file beside the built program, or bundled on the fly when it runs from source. */
export function reportScript(): string {
  const built = programFile('reportScript.js');
  return (made ??= existsSync(built) ? readFileSync(built, 'utf8') : fromSource());
}

function fromSource(): string {
  const { buildSync } = require('esbuild') as typeof Esbuild;
  const { outputFiles } = buildSync({
    entryPoints: [join(OWN_FOLDER, 'report/html/script/main.ts')],
    bundle: true,
    minify: true,
    write: false,
    format: 'iife',
    platform: 'browser',
    target: ['chrome110', 'firefox110', 'safari16.4'],
  });
  return outputFiles[0]?.text ?? '';
}
