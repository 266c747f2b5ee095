import { z } from 'zod';
import { toJson } from '../../core/json.ts';
import { commandRoutesOf, type CommandParts } from './commandRoutes.ts';
import { healthRoutesOf } from './healthRoutes.ts';
import { pastRoutesOf, type PastParts } from './pastRoutes.ts';
import { readsOf, type ReadParts } from './reads.ts';
import { ok, type Route } from './route.ts';

/** The document of the API as JSON, made once. */
async function describe(routes: readonly Route[], pages: ReadParts['pages']): Promise<string> {
  const { openApiOf } = await import('./openapi.ts');
  return toJson(await openApiOf(routes, () => pages.turn()));
}

/** Every endpoint of the API. `own`: those of the page. */
export function routesOf(
  parts: CommandParts & ReadParts & PastParts & Readonly<{ own?: readonly Route[] }>,
): readonly Route[] {
  const routes = [
    ...(parts.own ?? []),
    ...readsOf(parts),
    ...pastRoutesOf(parts),
    ...healthRoutesOf(parts),
    ...commandRoutesOf(parts),
  ];
  let text: Promise<string> | null = null;
  const document: Route = {
    method: 'GET',
    path: '/v1/openapi.json',
    summary: 'This document.',
    answer: z.looseObject({ openapi: z.string() }),
    handle: async () => ok(await (text ??= describe([...routes, document], parts.pages))),
  };
  return [...routes, document];
}
