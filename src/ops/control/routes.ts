import { z } from 'zod';
import { toJson } from '../../core/json.ts';
import { commandRoutesOf, type CommandParts } from './commandRoutes.ts';
import { pastRoutesOf, type PastParts } from './pastRoutes.ts';
import { readsOf, type ReadParts } from './reads.ts';
import { ok, type Route } from './route.ts';
import type { Daemon } from '../daemon.ts';
import { canProtectSchema, canSendSchema } from '../model/status.ts';
import type { EventStream } from './events.ts';

/** The API document as JSON, created once. */
async function describe(routes: readonly Route[], pages: ReadParts['pages']): Promise<string> {
  const { openApiOf } = await import('./openapi.ts');
  return toJson(await openApiOf(routes, () => pages.turn()));
}

/** All endpoints of the API. `own`: those of the page. */
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

const livenessSchema = z.object({ alive: z.boolean(), why: z.string().nullable() });

const readinessSchema = z.object({
  ready: z.boolean(),
  checks: z.array(z.object({ name: z.string(), ok: z.boolean(), why: z.string().nullable() })),
  canSend: canSendSchema,
  canProtect: canProtectSchema,
});

type HealthParts = Readonly<{ daemon: Daemon; stream: Pick<EventStream, 'readers'> }>;

/** Endpoints for supervisors and Prometheus. The first two need no token and reveal no figures. */
const healthRoutesOf = ({ daemon, stream }: HealthParts): Route[] => [
  {
    method: 'GET',
    path: '/livez',
    summary: '200 while the run takes steps, 503 when it hangs.',
    answer: livenessSchema,
    isOpen: true,
    isHealth: true,
    mayBeUnwell: true,
    handle: () => {
      const why = daemon.standstill();
      return { status: why === null ? 200 : 503, body: { alive: why === null, why } };
    },
  },
  {
    method: 'GET',
    path: '/readyz',
    summary: '200 while the run is healthy, can send and can protect, otherwise 503 with the reason.',
    answer: readinessSchema,
    isOpen: true,
    isHealth: true,
    mayBeUnwell: true,
    handle: () => {
      const health = daemon.health();
      return { status: health.ready ? 200 : 503, body: health };
    },
  },
  {
    method: 'GET',
    path: '/metrics',
    summary: 'Metrics in the text format of Prometheus.',
    answer: null,
    isHealth: true,
    async handle() {
      const { text, type } = await daemon.metrics(() => stream.readers);
      return { ...ok(text), type };
    },
  },
];
