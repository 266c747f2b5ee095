import { z } from 'zod';
import { sameAddress } from '../../domain/instrument.ts';
import { digestOf, payloadOf } from '../trading/delegation.ts';
import { undelegated } from '../state/messages.ts';
import { checkDeadline } from './tradingRules.ts';
import { boundUser, type Handler, type Routes } from './route.ts';
import { deadline, parseBody } from './fields.ts';

const prepareBody = z.object({ deadline });
const enableBody = z.object({
  /** Signature of 65 bytes. */
  signature: z.string().regex(/^0x[0-9a-fA-F]{130}$/, 'must be a signature of 65 bytes in hex'),
  deadline,
});

const status: Handler = (context) => {
  const { status: word, delegatee } = boundUser(context).delegation;
  return JSON.stringify({ status: word, delegatee });
};

const prepare: Handler = (context) => {
  const { deadline: until } = parseBody(prepareBody, context);
  checkDeadline(until, context.now);
  const account = boundUser(context);
  account.delegation.prepared = until;
  const { delegatee, nonce } = account.delegation;
  return JSON.stringify({ delegatee, signPayload: payloadOf(account, until), nonce, deadline: until });
};

const enable: Handler = (context) => {
  const { deadline: until } = parseBody(enableBody, context);
  const account = boundUser(context);
  const { delegation, userAddress } = account;
  if (delegation.prepared === null) throw undelegated('nothing is prepared: ask /1ct/prepare first');
  if (until !== delegation.prepared) throw undelegated('deadline must equal the prepared one');
  checkDeadline(until, context.now);
  const { recovered } = context;
  if (!recovered || recovered.digest !== digestOf(account) || !sameAddress(recovered.signer, userAddress))
    throw undelegated('signature is not that of the user on the prepared payload');
  delegation.status = 'enable';
  delegation.nonce++;
  delegation.prepared = null;
  return JSON.stringify({ status: delegation.status });
};

const disable: Handler = (context) => {
  const { delegation } = boundUser(context);
  delegation.status = 'disabled';
  delegation.prepared = null;
  return JSON.stringify({ status: delegation.status });
};

export const oneClickRoutes: Routes = {
  'GET /api/v1/1ct/status': status,
  'POST /api/v1/1ct/prepare': prepare,
  'POST /api/v1/1ct/enable': enable,
  'POST /api/v1/1ct/disable': disable,
};
