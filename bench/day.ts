import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { z } from 'zod';
import { timed, type Result } from './result.ts';

const summary = z.object({ requests: z.object({ total: z.number() }) });

/** Runs the default config on the emulator from start to close at full speed, as a user runs the command. */
export async function day(): Promise<Result[]> {
  const drover = fileURLToPath(new URL('../bin/main.js', import.meta.url));
  const args = [drover, 'run', '--speed', 'max', '--until', 'close', '--json'];
  let stdout = '';
  const ms = await timed(async () => {
    ({ stdout } = await promisify(execFile)(process.execPath, args));
  });
  const { total } = summary.parse(JSON.parse(stdout)).requests;
  return [
    { name: 'day', value: ms / 1_000, unit: 's' },
    { name: 'day-requests', value: (total * 1_000) / ms, unit: 'requests/s' },
  ];
}
