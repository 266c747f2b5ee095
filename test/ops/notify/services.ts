import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Socket } from 'node:net';
import { TLSSocket } from 'node:tls';
import { SELF_SIGNED } from '../../api/selfSigned.ts';

/** A request as the service received it. */
export type Got = Readonly<{ method: string; url: string; headers: IncomingHttpHeaders; body: string }>;

/** A local server in the role of a service. `answer` decides the response, 200 by default. */
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

/** A mail as the server received it. `isSecret`: it came over TLS. */
export type Mail = Readonly<{ from: string; to: string[]; data: string; isSecret: boolean }>;

type MailOptions = Readonly<{
  /** Response that refuses a mail at its end. */
  refuse?: string;
  /** Response to each login; without it no login is offered. */
  login?: string;
  /** Offers STARTTLS with a self-signed certificate. */
  startTls?: boolean;
}>;

/** Everything a mail server has received. `logins`: lines of logins. */
type Seen = Readonly<{ mails: Mail[]; logins: string[] }>;

/** A small SMTP server. */
export async function mailServer(options: MailOptions = {}) {
  const seen: Seen = { mails: [], logins: [] };
  const server = createTcpServer((socket) => {
    speak(socket, seen, options);
    socket.write('220 localhost\r\n');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { ...seen, port, close: () => new Promise<void>((resolve) => server.close(() => resolve())) };
}

function speak(socket: Socket, seen: Seen, options: MailOptions): void {
  const isSecret = socket instanceof TLSSocket;
  const { refuse, login, startTls = false } = options;
  const offers = [
    ...(startTls && !isSecret ? ['STARTTLS'] : []),
    ...(login === undefined ? [] : ['AUTH PLAIN']),
  ];
  let [from, to, data, buffer, isData] = ['', [] as string[], '', '', false];
  const say = (line: string) => socket.write(`${line}\r\n`);
  const secure = () => {
    socket.off('data', read);
    say('220 go on');
    speak(new TLSSocket(socket, { isServer: true, ...SELF_SIGNED }), seen, options);
  };
  const take = (line: string) => {
    if (isData) {
      if (line !== '.') return void (data += `${line}\n`);
      isData = false;
      if (refuse === undefined) seen.mails.push({ from, to, data, isSecret });
      say(refuse ?? '250 taken');
      [from, to, data] = ['', [], ''];
      return;
    }
    const verb = line.slice(0, 4).toUpperCase();
    if (verb === 'EHLO' || verb === 'HELO')
      for (const offer of [...offers.map((name) => `250-${name}`), '250 HELP']) say(offer);
    else if (verb === 'STAR' && offers.includes('STARTTLS')) secure();
    else if (verb === 'STAR') say('502 not here');
    else if (verb === 'AUTH') seen.logins.push((say(login ?? '503 no'), line));
    else if (verb === 'MAIL') [from] = [line, say('250 ok')];
    else if (verb === 'RCPT') to = [...to, (say('250 ok'), line)];
    else if (verb === 'DATA') isData = say('354 go on') || true;
    else if (verb === 'QUIT') socket.end('221 bye\r\n');
    else say('250 ok');
  };
  const read = (chunk: Buffer) => {
    buffer += chunk.toString('utf8');
    const lines = buffer.split('\r\n');
    buffer = lines.pop() ?? '';
    lines.forEach(take);
  };
  socket.on('error', () => undefined);
  socket.on('data', read);
}
