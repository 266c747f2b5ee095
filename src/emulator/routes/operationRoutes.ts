import { indexedUntil } from '../state/indexer.ts';
import {
  operationDetail,
  operationLink,
  operationRow,
  operationSight,
  type OperationSight,
} from '../views/operationView.ts';
import { invalid, notFound } from '../wire/messages.ts';
import type { Mapping } from '../state/state.ts';
import type { MoveWord } from '../wire/words.ts';
import { mappingsOf } from '../state/world.ts';
import { listOf } from './fields.ts';
import { recordTx, answerCalldata, sendDelegated, type Prepare } from './submission.ts';
import type { Context, Route } from './route.ts';

/** How one kind of operation is asked for: by a wallet of its own, and for the user of the key. */
export type OperationKind = Readonly<{
  path: `/api/v1/${string}`;
  type: MoveWord;
  calldata: Prepare;
  send: Prepare;
}>;

const sightOf = ({ world, now }: Context, mapping: Mapping): OperationSight =>
  operationSight(world, mapping, indexedUntil(world.state, now));

function detailOf(context: Context, type: MoveWord): string {
  const { world, key } = context;
  const id = (context.path['operationId'] ?? '').toLowerCase().replace(/^0x/, '');
  if (!/^[0-9a-f]{64}$/.test(id)) throw invalid('operationId must be 32 bytes in hex');
  const operation = world.operations.get(`0x${id}`);
  const mapping = world.mappings.get(operation?.txHash ?? '');
  const own = mapping?.apiKey === key.apiKey && operation?.type === type;
  const sight = own ? sightOf(context, mapping) : null;
  if (!sight?.change) throw notFound('operation not found');
  return JSON.stringify(operationDetail(sight));
}

/** The five endpoints of one kind of operation. */
export const operationRoutes = ({ path, type, calldata, send }: OperationKind): readonly Route[] => [
  {
    method: 'GET',
    path,
    handle: (context) =>
      listOf(context, mappingsOf(context.world, { apiKey: context.key.apiKey, type }), (mapping) =>
        JSON.stringify(operationRow(sightOf(context, mapping))),
      ),
  },
  { method: 'GET', path: `${path}/{operationId}`, handle: (context) => detailOf(context, type) },
  { method: 'POST', path: `${path}/calldata`, handle: answerCalldata(calldata) },
  { method: 'POST', path: `${path}/send`, handle: sendDelegated(type, send) },
  {
    method: 'POST',
    path: `${path}/tx`,
    handle: recordTx(type, (context, mapping) => operationLink(sightOf(context, mapping))),
  },
];
