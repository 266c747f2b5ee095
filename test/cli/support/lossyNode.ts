import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A node in front of another that loses sends before the other has them, as often as requested. */
export async function startLossyNode(rpcUrl: string) {
  const loses = { times: 0 };
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      const body = Buffer.concat(chunks).toString();
      if (body.includes('eth_sendRawTransaction') && loses.times-- > 0) {
        outgoing.destroy();
        return;
      }
      const headers = { 'content-type': 'application/json' };
      void fetch(rpcUrl, { method: 'POST', headers, body }).then(async (answer) => {
        outgoing.writeHead(answer.status, headers);
        outgoing.end(await answer.text());
      });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    loses,
    url: `http://127.0.0.1:${port}`,
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
}
