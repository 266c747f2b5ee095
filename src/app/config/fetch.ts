import { BlockList, isIP } from 'node:net';
import { z } from 'zod';
import { seriesName } from '../../strategy/dataNeeds.ts';
import { isLoopback, readBy, secureUrl } from './fields.ts';

/** Networks outside the public internet: local, private, multicast, documentation, and IPv4 mapped into IPv6. */
const RESERVED = blocks(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 ' +
    '192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3 2001::/23 2001:db8::/32 2002::/16 3fff::/20',
);
/** IPv6 range of all public unicast addresses. */
const UNICAST = blocks('2000::/3');

function blocks(networks: string): BlockList {
  const list = new BlockList();
  for (const [network = '', bits] of networks.split(' ').map((block) => block.split('/')))
    list.addSubnet(network, Number(bits), isIP(network) === 6 ? 'ipv6' : 'ipv4');
  return list;
}

/** True for a public IP address. */
export const isPublic = (address: string): boolean =>
  isIP(address) === 6
    ? UNICAST.check(address, 'ipv6') && !RESERVED.check(address, 'ipv6')
    : isIP(address) === 4 && !RESERVED.check(address, 'ipv4');

function readAddress(text: string): string {
  const url = secureUrl(text);
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  if (url.hash !== '' || text.endsWith('#')) throw new Error('must not have a fragment');
  if (isIP(host) !== 0 && !isLoopback(text) && !isPublic(host))
    throw new Error('must not lead into a private network (this machine is 127.0.0.1, [::1] or localhost)');
  return url.href;
}

const source = z.strictObject({
  url: readBy(z.string(), readAddress).describe('Address to fetch: https, or http on this machine.'),
  everySeconds: z
    .int()
    .min(10)
    .max(86_400)
    .default(300)
    .describe('How often it is fetched, in seconds of real time.'),
  maxKb: z.int().min(1).max(1_024).default(64).describe('Largest text accepted, in KB of 1,024 bytes.'),
});

/** URLs that a strategy may fetch, by the name it uses for each. */
export const fetchSection = () => z.record(seriesName(), source);

export type FetchSource = Readonly<z.output<typeof source>>;
