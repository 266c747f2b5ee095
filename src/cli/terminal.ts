import { printable, printableInColour } from '../core/printable.ts';
import type { Secrets } from '../core/secrets.ts';
import type { Terminal } from './context.ts';

/** Takes text as it is. */
type Stream = Readonly<{ isTTY?: boolean; write(text: string): unknown }>;
type Streams = Readonly<{ stdout: Stream; stderr: Stream; colour: boolean }>;

const CLEAR_LINE = '\r\u001B[K';

/**
 * The one way to stdout and stderr. Secrets are masked, and what the venue or a file has in its texts to steer a terminal is
 * spelled out; only colours of ours pass, where there are any.
 */
export function terminalOn({ stdout, stderr, colour }: Streams, secrets: Secrets): Terminal {
  const shownAs = colour ? printableInColour : printable;
  const safe = (text: string): string => shownAs(secrets.redact(text));
  let status = '';
  const showStatus = (text: string): void => {
    if (text !== status) stderr.write(`${CLEAR_LINE}${safe(text).replaceAll('\n', ' ')}`);
    status = text;
  };
  const put = (stream: Stream, text: string): void => {
    if (status) showStatus('');
    stream.write(`${safe(text)}\n`);
  };
  return {
    out: (text) => put(stdout, text),
    err: (text) => put(stderr, text),
    ...(stderr.isTTY ? { status: showStatus } : {}),
    colour,
  };
}
