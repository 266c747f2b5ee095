import { request } from 'node:http';

export type Asked = Readonly<{
  socket?: string;
  /** Address of the TCP listener, on loopback. */
  port?: number;
  method?: string;
  path?: string;
  headers?: Readonly<Record<string, string>>;
  body?: unknown;
}>;

export type Answered = Readonly<{
  status: number;
  headers: Readonly<Record<string, unknown>>;
  text: string;
  json: () => unknown;
}>;

/** A raw request, with exactly these headers: `host` is not added. */
export function ask({
  socket,
  port,
  method = 'GET',
  path = '/v1/status',
  ...sent
}: Asked): Promise<Answered> {
  const { headers = { host: 'localhost' }, body } = sent;
  const text = body === undefined ? '' : typeof body === 'string' ? body : JSON.stringify(body);
  return new Promise((resolve, reject) => {
    const outgoing = request(
      {
        ...(socket === undefined ? { host: '127.0.0.1', port } : { socketPath: socket }),
        method,
        path,
        setHost: false,
        // A connection of its own: the next run may listen where an earlier one did.
        agent: false,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(text) }) },
      },
      (incoming) => {
        let read = '';
        incoming.setEncoding('utf8');
        incoming.on('data', (chunk: string) => (read += chunk));
        incoming.on('error', reject);
        incoming.on('end', () =>
          resolve({
            status: incoming.statusCode ?? 0,
            headers: incoming.headers,
            text: read,
            json: () => JSON.parse(read) as unknown,
          }),
        );
      },
    );
    outgoing.on('error', reject);
    outgoing.end(text);
  });
}
