import type { Transporter } from 'nodemailer';
import { codeOf } from '../../core/errors.ts';
import { isLoopbackHost } from '../../core/loopback.ts';
import type { Address } from './addresses.ts';
import { reasonOf, type Delivery, type Sender } from './delivery.ts';
import type { Parcel } from './message.ts';

type MailAddress = Extract<Address, { kind: 'email' }>;
/** Sender and receivers of a channel's mails. */
export type Envelope = Readonly<{ from: string; to: readonly string[] }>;

const LIMIT = 20_000;
/** Time limit in ms for each step of a delivery. */
const STEP_MS = 15_000;

/** Mail sender over SMTP, with TLS to every other machine. Loaded with the first mail. */
export function mailSender(address: MailAddress, envelope: Envelope): Sender {
  let loading: Promise<Transporter> | null = null;
  return {
    limit: LIMIT,
    async send(parcel) {
      try {
        const transport = await (loading ??= transportOf(address));
        return await deliver(transport, parcel, envelope);
      } catch (error) {
        return deliveryOfError(error);
      }
    },
    close: () => void loading?.then((transport) => transport.close()),
  };
}

async function transportOf({ host, port, secure, user, password }: MailAddress): Promise<Transporter> {
  const { createTransport } = await import('nodemailer');
  return createTransport({
    host,
    port,
    secure,
    requireTLS: !secure && !isLoopbackHost(host),
    ...(user === '' ? {} : { auth: { user, pass: password } }),
    tls: { rejectUnauthorized: !isLoopbackHost(host) },
    connectionTimeout: STEP_MS,
    greetingTimeout: STEP_MS,
    socketTimeout: STEP_MS,
    dnsTimeout: STEP_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

async function deliver(
  transport: Transporter,
  { id, title, text }: Parcel,
  { from, to }: Envelope,
): Promise<Delivery> {
  await transport.sendMail({
    from,
    to: [...to],
    subject: title,
    text,
    messageId: `<${id.replaceAll('+', '.')}@drover>`,
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
  return { ok: true };
}

/** Outcome of a failed mail. Responses of a mail server quote addresses, so only their number is kept. */
function deliveryOfError(error: unknown): Delivery {
  const code = error instanceof Error && 'responseCode' in error ? Number(error.responseCode) : NaN;
  if (!Number.isInteger(code) || codeOf(error) === 'ETLS') return { ok: false, reason: reasonOf(error) };
  if (code === 535 || code === 534)
    return { ok: false, reason: `it refuses user or password (SMTP ${code})` };
  return {
    ok: false,
    reason: `the mail server answered SMTP ${code}`,
    isRefused: code >= 500,
  };
}
