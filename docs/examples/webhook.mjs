// Receives messages of drover's webhook channel: SECRET=… PORT=8900 node webhook.mjs
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer } from 'node:http';

const secret = process.env.SECRET ?? '';
/** Age in seconds from which a message is refused. */
const OLD_SECONDS = 300;
const seen = new Set();

/** True for a message that whoever knows the secret has just signed. */
function isGenuine(
  { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature },
  body,
) {
  const key = secret.startsWith('whsec_') ? Buffer.from(secret.slice('whsec_'.length), 'base64') : secret;
  const wanted = createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest();
  const given = Buffer.from(String(signature).replace(/^v1,/, ''), 'base64');
  const isOurs = given.length === wanted.length && timingSafeEqual(given, wanted);
  return isOurs && Math.abs(Date.now() / 1000 - Number(timestamp)) < OLD_SECONDS;
}

const server = createServer((request, response) => {
  const chunks = [];
  request.on('data', (chunk) => chunks.push(chunk));
  request.on('end', () => {
    const body = Buffer.concat(chunks).toString('utf8');
    if (!isGenuine(request.headers, body)) return response.writeHead(401).end();
    for (const { id, title, text } of JSON.parse(body).messages) {
      if (!seen.has(id)) console.log(`${title}: ${text}`);
      seen.add(id);
    }
    response.writeHead(204).end();
  });
});
server.listen(Number(process.env.PORT ?? 8900), '127.0.0.1', () =>
  console.log(`listening on ${server.address().port}`),
);
