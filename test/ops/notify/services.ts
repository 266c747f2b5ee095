import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';

/** A request as a service got it. */
export type Got = Readonly<{ method: string; url: string; headers: IncomingHttpHeaders; body: string }>;

/** A local server in the role of a service. `answer` decides; it answers 200 by itself. */
export async function service(
  answer: (got: Got, response: ServerResponse) => void = (_, response) =>
    void response.end('{"ok":true,"result":[]}'),
) {
  const got: Got[] = [];
  const server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
    request.on('end', () => {
      const one = { method: request.method ?? '', url: request.url ?? '', headers: request.headers, body };
      got.push(one);
      answer(one, response);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => {
    server.closeAllConnections();
    return new Promise<void>((resolve) => server.close(() => resolve()));
  };
  return { got, url: `http://127.0.0.1:${port}`, close };
}

/** A mail as the server got it. */
export type Mail = Readonly<{ from: string; to: string[]; data: string }>;

/** A small SMTP server. `refuse`: its answer to the end of a mail instead of taking it. */
export async function mailServer(refuse?: string) {
  const mails: Mail[] = [];
  const server = createTcpServer((socket) =>
    speak(socket, { mails, ...(refuse === undefined ? {} : { refuse }) }),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { mails, port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

function speak(socket: Socket, { mails, refuse }: { mails: Mail[]; refuse?: string }): void {
  let [from, to, data, buffer, isData] = ['', [] as string[], '', '', false];
  const say = (line: string) => socket.write(`${line}\r\n`);
  const take = (line: string) => {
    if (isData) {
      if (line !== '.') return void (data += `${line}\n`);
      isData = false;
      if (refuse === undefined) mails.push({ from, to, data });
      say(refuse ?? '250 taken');
      [from, to, data] = ['', [], ''];
      return;
    }
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO' || verb === 'HELO') say('250 localhost');
    else if (verb === 'MAIL') [from] = [line, say('250 ok')];
    else if (verb === 'RCPT') to = [...to, (say('250 ok'), line)];
    else if (verb === 'DATA') isData = say('354 go on') || true;
    else if (verb === 'QUIT') socket.end('221 bye\r\n');
    else say('250 ok');
  };
  socket.on('error', () => undefined);
  socket.on('data', (chunk) => {
    buffer += chunk.toString('utf8');
    const lines = buffer.split('\r\n');
    buffer = lines.pop() ?? '';
    lines.forEach(take);
  });
  say('220 localhost');
}
