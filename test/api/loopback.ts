import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { onTestFinished } from 'vitest';

export type Received = Readonly<{
  method: string;
  url: string;
  headers: IncomingMessage['headers'];
  body: string;
}>;
export type Handler = (response: ServerResponse, received: Received) => void;

/** A server on loopback that keeps every request it has read in full, and answers by `handle`. */
export async function loopback(handle: Handler) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const whole = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      received.push(whole);
      handle(response, whole);
    });
  });
  let connections = 0;
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const close = () => {
    server.closeAllConnections();
    server.close();
  };
  onTestFinished(close);
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    received,
    close,
    get connections() {
      return connections;
    },
  };
}
