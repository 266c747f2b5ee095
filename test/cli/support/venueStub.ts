import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

export type StubRequest = Readonly<{
  method: string;
  path: string;
  query: URLSearchParams;
  body: string;
  headers: IncomingMessage['headers'];
}>;

/** By `METHOD /path`: the data of a success, or a whole envelope with its HTTP status. */
export type StubAnswers = Record<string, (request: StubRequest) => unknown>;

export const declined = (code: number, errMsg: string) => ({ declined: { code, errMsg, data: null } });

/** A venue on loopback that responds as a test says, without checking signatures. */
export async function startVenueStub(answers: StubAnswers, now: () => number = Date.now) {
  const requests: StubRequest[] = [];
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const [path = '', query = ''] = (incoming.url ?? '').split('?');
      const { method = '', headers } = incoming;
      const body = Buffer.concat(chunks).toString();
      const request = { method, path, query: new URLSearchParams(query), body, headers };
      requests.push(request);
      const given = answers[`${method} ${path}`]?.(request) ?? declined(10_001, `nothing at ${path}`);
      const refused = given as ReturnType<typeof declined>;
      const isRefused = typeof given === 'object' && 'declined' in given;
      const common = { uuid: 'u', t: now() };
      outgoing.writeHead(isRefused ? 400 : 200, { 'content-type': 'application/json' });
      outgoing.end(
        JSON.stringify(
          isRefused ? { ...common, ...refused.declined } : { ...common, code: 200, errMsg: '', data: given },
        ),
      );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    baseUrl: `http://127.0.0.1:${port}`,
    requests,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
