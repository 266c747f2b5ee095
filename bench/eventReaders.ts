import { request } from 'node:http';

/** Reads a stream of events by several connections, in a process that ends with its parent. */
process.once('message', ({ port, readers }: Readonly<{ port: number; readers: number }>) => {
  for (let count = 0; count < readers; count++)
    request({ host: '127.0.0.1', port }, (response) => response.resume())
      .on('error', () => process.exit(1))
      .end();
});
process.once('disconnect', () => process.exit());
