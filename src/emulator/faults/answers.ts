import type { VenueRequest } from '../auth.ts';
import { gatewayReply, refused, refusedReply, unauthorized, uuidOf, type VenueReply } from '../reply.ts';
import type { Hex, State } from '../state.ts';
import { edited } from './edit.ts';
import { falselyListed, nested } from './falseAnswers.ts';
import { reworded } from './forms.ts';
import type { MessageRule } from './rules.ts';

/** Whether the venue's own code has the request before its answer is spoiled. */
export function isProcessed(rule: MessageRule): boolean {
  switch (rule.kind) {
    case 'unauthorized':
    case 'redirect':
    case 'lost-request':
    case 'late-request':
      return false;
    case '429':
      return rule.processed ?? false;
    case 'status':
    case 'html':
    case 'body':
    case 'echo':
    case 'busy-node':
      return rule.processed;
    default:
      return true;
  }
}

/** What the answer depends on beside itself. `hashBefore`: the transaction of the send before it. */
export type Around = Readonly<{
  request: Pick<VenueRequest, 'headers'>;
  now: State['now'];
  hashBefore: Hex | null;
  /** What chance in the answer is a function of. */
  seed: string;
}>;

const TX_HASH = /"txHash":"0x[0-9a-f]+"/;
const OTHERS_HASH: Hex = `0x${'ab'.repeat(32)}`;

/** What becomes of the answer on its way. `reply` is of no interest for a request that was not processed. */
export function spoil(
  rule: MessageRule,
  reply: VenueReply,
  { request, now, hashBefore, seed }: Around,
): VenueReply {
  switch (rule.kind) {
    case 'unauthorized':
      return unauthorized(now);
    case '429':
      return gatewayReply(429, rule.retryAfter === undefined ? {} : { 'retry-after': rule.retryAfter });
    case 'redirect':
      return gatewayReply(rule.status, { location: rule.location });
    case 'status':
      return gatewayReply(rule.status);
    case 'html':
      return gatewayReply(200);
    case 'body':
      return { status: rule.status, headers: { 'content-type': rule.contentType }, body: rule.text };
    case 'echo':
      return refusedReply(`cannot serve ${JSON.stringify(request.headers)}`, now);
    case 'truncate':
      return { ...reply, body: reply.body.slice(0, rule.bytes) };
    case 'edit':
      return { ...reply, body: edited(reply.body, rule) };
    case 'false-refusal':
      return refused({ code: rule.code, message: rule.text }, uuidOf(seed), now);
    case 'false-listing':
      return { ...reply, body: falselyListed(reply.body, rule) };
    case 'nested':
      return { ...reply, body: nested(reply.body, rule) };
    case 'form':
      return { ...reply, body: reworded(reply.body, rule, seed) };
    case 'no-hash':
      return { ...reply, body: reply.body.replace(TX_HASH, '"txHash":null') };
    case 'other-hash':
      return { ...reply, body: reply.body.replace(TX_HASH, `"txHash":"${hashBefore ?? OTHERS_HASH}"`) };
    case 'slow-body':
      return { ...reply, slowMs: rule.ms };
    case 'interim':
      return { ...reply, interim: true };
    default:
      return reply;
  }
}
