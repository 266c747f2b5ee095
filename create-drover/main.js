#!/usr/bin/env node
// `npm create drover@latest my-bot` is `drover init my-bot` of that version.
import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import process from 'node:process';

const folder = dirname(createRequire(import.meta.url).resolve('drover/package.json'));
const argv = [join(folder, 'dist/bin/main.js'), 'init', ...process.argv.slice(2)];
const { status } = spawnSync(process.execPath, argv, { stdio: 'inherit' });
process.exitCode = status ?? 1;
