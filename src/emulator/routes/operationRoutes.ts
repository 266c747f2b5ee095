import { indexedUntil } from '../state/indexer.ts';
import {
  operationDetail,
  operationLink,
  operationRow,
  operationSight,
  type ShownOperation,
} from '../views/operationView.ts';
import { invalid, notFound } from '../wire/messages.ts';
import type { Mapping } from '../state/state.ts';
import type { MoveWord } from '../wire/words.ts';
import { mappingsOf } from '../state/venueState.ts';
import { listOf } from './fields.ts';
import { recordTx, answerCalldata, sendDelegated, type Prepare } from './submission.ts';
import type { Context, Route } from './route.ts';

/** Schema of one kind of operation: sent by a wallet of its own, and for the user of the key. */
export type OperationKind = Readonly<{
  path: `/api/v1/${string}`;
  type: MoveWord;
  calldata: Prepare;
  send: Prepare;
}>;

const shownOf = ({ venue, now }: Context, mapping: Mapping): ShownOperation =>
  operationSight(venue, mapping, indexedUntil(venue.state, now));

function detailOf(context: Context, type: MoveWord): string {
  const { venue, key } = context;
  const id = (context.path['operationId'] ?? '').toLowerCase().replace(/^0x/, '');
  if (!/^[0-9a-f]{64}$/.test(id)) throw invalid('operationId must be 32 bytes in hex');
  const operation = venue.operations.get(`0x${id}`);
  const mapping = venue.mappings.get(operation?.txHash ?? '');
  const own = mapping?.apiKey === key.apiKey && operation?.type === type;
  const shown = own ? shownOf(context, mapping) : null;
  if (!shown?.change) throw notFound('operation not found');
  return JSON.stringify(operationDetail(shown));
}

/** The five endpoints of one kind of operation. */
export const operationRoutes = ({ path, type, calldata, send }: OperationKind): readonly Route[] => [
  {
    method: 'GET',
    path,
    handle: (context) =>
      listOf(context, mappingsOf(context.venue, { apiKey: context.key.apiKey, type }), (mapping) =>
        JSON.stringify(operationRow(shownOf(context, mapping))),
      ),
  },
  { method: 'GET', path: `${path}/{operationId}`, handle: (context) => detailOf(context, type) },
  { method: 'POST', path: `${path}/calldata`, handle: answerCalldata(calldata) },
  { method: 'POST', path: `${path}/send`, handle: sendDelegated(type, send) },
  {
    method: 'POST',
    path: `${path}/tx`,
    handle: recordTx(type, (context, mapping) => operationLink(shownOf(context, mapping))),
  },
];
