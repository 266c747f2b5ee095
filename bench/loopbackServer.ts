import { createServer } from 'node:http';
import type { Served } from './loopback.ts';

/** Gives every request the same response, in a separate process that ends with its parent. */
process.once('message', ({ body, delayMs }: Served) => {
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const server = createServer((request, response) => {
    request.resume();
    const answer = () => response.writeHead(200, headers).end(body);
    if (delayMs > 0) setTimeout(answer, delayMs);
    else answer();
  });
  server.listen(0, '127.0.0.1', () => process.send?.(server.address()));
});
process.once('disconnect', () => process.exit());
