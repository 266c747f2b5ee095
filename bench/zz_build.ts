import { build } from 'esbuild';
import { reportingEntries } from './entries.ts';
await build({ entryPoints: ['bench/zz_walk.ts'], outfile: 'dist/lb/walk.js', bundle: true, platform: 'node', format: 'esm', packages: 'external', alias: { 'drover/strategy': './src/strategy/index.ts' }, plugins: [reportingEntries], logLevel: 'warning' });
