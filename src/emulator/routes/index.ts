import { deferredRoutes } from './deferredRoutes.ts';
import { marketRoutes } from './marketRoutes.ts';
import { oneClickRoutes } from './oneClickRoutes.ts';
import { orderRoutes, withDepositRoutes } from './orderRoutes.ts';
import { createRouter, type Route } from './route.ts';
import { transferRoutes } from './transferRoutes.ts';
import { userRoutes } from './userRoutes.ts';

export type { Match, Route } from './route.ts';

const routes: readonly Route[] = [
  ...marketRoutes,
  ...userRoutes,
  ...withDepositRoutes,
  ...orderRoutes,
  ...transferRoutes,
  ...deferredRoutes,
  ...oneClickRoutes,
];

export const findRoute = createRouter(routes);

const endpoints = new Set(routes.map(({ method, path }) => `${method} ${path}`));

/** True for a name such as `DELETE /api/v1/orders/{orderId}/send`, or `other` for unknown requests. */
export const isEndpoint = (name: string): boolean => name === 'other' || endpoints.has(name);
