// Health check of a container: exits with 0 while the run takes steps. It asks over the socket in the state folder, so
// that it needs no port and no token.
import { request } from 'node:http';
import { join } from 'node:path';
import process from 'node:process';

const TIMEOUT_MS = 4000;
const state = process.argv[2] ?? process.env['DROVER__STATE'] ?? '/var/lib/drover/state';

function fail(why) {
  process.stderr.write(`not alive: ${why}\n`);
  process.exit(1);
}

request({ socketPath: join(state, 'control.sock'), path: '/livez', timeout: TIMEOUT_MS }, (response) => {
  if (response.statusCode === 200) process.exit(0);
  fail(`/livez answers ${response.statusCode}`);
})
  .on('timeout', () => fail('no answer'))
  .on('error', ({ message }) => fail(message))
  .end();
