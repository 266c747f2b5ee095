#!/usr/bin/env node
import { nodeVersionProblem } from './nodeVersion.ts';

// Nothing else is imported here: an older Node.js could not even link the rest, and would name an export instead of itself.
const problem = nodeVersionProblem(process.versions.node);
if (problem === null) await import('./main.ts');
else {
  process.stderr.write(`drover: ${problem}\n`);
  process.exitCode = 2;
}
