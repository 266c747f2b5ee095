#!/usr/bin/env node
import { existsSync, mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import { nodeVersionProblem } from './nodeVersion.ts';

/** Bits of a mode by which others may write. */
const OTHERS_WRITE = 0o022;

/**
 * Keeps compiled code from one command to the next, where Node.js can (from 22.8 on; NODE_DISABLE_COMPILE_CACHE=1 keeps none), in a
 * folder of this user alone: code from a folder that others may write to would run with the keys of this one.
 */
function keepCompiledCode(): void {
  const { HOME: home = '', XDG_CACHE_HOME: named = '', NODE_DISABLE_COMPILE_CACHE: off } = process.env;
  const cache = isAbsolute(named) ? named : join(home, '.cache');
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (!enableCompileCache || off !== undefined || !isAbsolute(cache)) return;
  const folder = join(cache, 'drover');
  if (isOwn(cache, folder)) enableCompileCache(folder);
}

/** Makes a folder and its parent if there are none. True if it is of this user, and no other may write to it. */
function isOwn(parent: string, folder: string): boolean {
  try {
    // One by one: in a place such as /proc, `recursive` has Node.js try for ever.
    for (const each of [parent, folder]) if (!existsSync(each)) mkdirSync(each, 0o700);
    const { uid, mode } = statSync(folder);
    return process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS_WRITE) === 0);
  } catch {
    return false;
  }
}

// Nothing else of drover is imported here: an older Node.js could not even link the rest, and would name an export instead of itself.
const problem = nodeVersionProblem(process.versions.node);
if (problem === null) {
  keepCompiledCode();
  await import('./main.ts');
} else {
  process.stderr.write(`drover: ${problem}\n`);
  process.exitCode = 2;
}
