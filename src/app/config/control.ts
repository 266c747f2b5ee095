import { z } from 'zod';
import { baseUrl, filePath, readBy } from './fields.ts';

/** Address that a run listens on. `port` 0 picks a free one. */
export type ListenAddress = Readonly<{ host: string; port: number }>;

const LISTEN = /^(?:(\[[0-9a-fA-F:]+\]|[A-Za-z0-9][A-Za-z0-9.-]*):)?(\d{1,5})$/;
const PORT_MAX = 65_535;

/** Parses `PORT` on this machine, or `HOST:PORT`. */
function listenAddress(text: string | number): ListenAddress {
  const [, host = '127.0.0.1', port] = LISTEN.exec(String(text)) ?? [];
  if (port === undefined || Number(port) > PORT_MAX)
    throw new Error('must be HOST:PORT, such as 127.0.0.1:8180, or a port from 0 to 65535');
  return { host, port: Number(port) };
}

/** Section `control` of a config. */
export const controlSection = z.strictObject({
  listen: readBy(z.union([z.string(), z.number()]), listenAddress)
    .optional()
    .describe(
      "Address for programs and pages, such as 127.0.0.1:8180; a port alone means this machine. 0 picks a free port, the last run's if possible. Other machines need a token. Without this setting only the socket in the state folder serves.",
    ),
  publicUrl: baseUrl()
    .optional()
    .describe(
      'Address of the proxy with TLS before `control.listen`, such as https://bots.example/drover: browsers may connect through it.',
    ),
  money: z
    .boolean()
    .default(false)
    .describe(
      'Accepts manual orders and transfers over `control.listen` too, from the operate token and the page.',
    ),
  runs: filePath()
    .default('runs')
    .describe(
      'Folder of saved records (`drover backtest … --save`) that the page lists and compares: the .json files in it, and no others.',
    ),
  tokens: filePath()
    .optional()
    .describe(
      'File with the tokens, readable only by you: one line `read TOKEN`, one line `operate TOKEN`. DROVER_CONTROL_READ_TOKEN and DROVER_CONTROL_OPERATE_TOKEN take precedence.',
    ),
  readTokenName: z
    .string()
    .optional()
    .describe(
      'Name of the read token in the key store (`drover keys`). Environment and file take precedence.',
    ),
  operateTokenName: z
    .string()
    .optional()
    .describe(
      'Name of the operate token in the key store (`drover keys`). Environment and file take precedence.',
    ),
});

export type ControlConfig = Readonly<z.output<typeof controlSection>>;
