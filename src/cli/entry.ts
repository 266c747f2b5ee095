#!/usr/bin/env node
import module from 'node:module';
import { isAbsolute, join } from 'node:path';
import { nodeVersionProblem } from './nodeVersion.ts';

/**
 * Keeps compiled code from one command to the next, where Node.js can (from 22.8 on; NODE_DISABLE_COMPILE_CACHE=1 keeps none), in a
 * folder of this user alone: code from a folder that others may write to would run with the keys of this one.
 */
function keepCompiledCode(): void {
  const { HOME: home = '', XDG_CACHE_HOME: named = '' } = process.env;
  const cache = isAbsolute(named) ? named : join(home, '.cache');
  const { enableCompileCache } = module as { enableCompileCache?: (folder: string) => unknown };
  if (isAbsolute(cache)) enableCompileCache?.(join(cache, 'drover'));
}

// Nothing else is imported here: an older Node.js could not even link the rest, and would name an export instead of itself.
const problem = nodeVersionProblem(process.versions.node);
if (problem === null) {
  keepCompiledCode();
  await import('./main.ts');
} else {
  process.stderr.write(`drover: ${problem}\n`);
  process.exitCode = 2;
}
