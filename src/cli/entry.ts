#!/usr/bin/env node
import { existsSync, mkdirSync, statSync } from 'node:fs';
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import { nodeVersionProblem } from './nodeVersion.ts';

/** Mode bits with which other users may write. */
const OTHERS_WRITE = 0o022;

/**
 * Keeps compiled code between commands if Node.js can (22.8 or later; NODE_DISABLE_COMPILE_CACHE=1 disables it), in a private
 * folder of this user: code from a folder that others may write to would run with this user's keys.
 */
function keepCompiledCode(): void {
  const { HOME: home = '', XDG_CACHE_HOME: named = '', NODE_DISABLE_COMPILE_CACHE: off } = process.env;
  const cache = isAbsolute(named) ? named : join(home, '.cache');
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (!enableCompileCache || off !== undefined || !isAbsolute(cache)) return;
  const folder = join(cache, 'drover');
  if (isOwn(cache, folder)) enableCompileCache(folder);
}

/** Creates a folder and its parent if missing. True if it belongs to this user and no other may write to it. */
function isOwn(parent: string, folder: string): boolean {
  try {
    // One at a time: in a place such as /proc, Node.js would retry `recursive` forever.
    for (const each of [parent, folder]) if (!existsSync(each)) mkdirSync(each, 0o700);
    const { uid, mode } = statSync(folder);
    return process.getuid === undefined || (uid === process.getuid() && (mode & OTHERS_WRITE) === 0);
  } catch {
    return false;
  }
}

// Imports nothing else of drover: an older Node.js could not link it, and would report an export instead of its version.
const problem = nodeVersionProblem(process.versions.node);
if (problem === null) {
  keepCompiledCode();
  await import('./main.ts');
} else {
  process.stderr.write(`drover: ${problem}\n`);
  process.exitCode = 2;
}
