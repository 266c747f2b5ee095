import { deferredRoutes } from './deferredRoutes.ts';
import { marketRoutes } from './marketRoutes.ts';
import { oneClickRoutes } from './oneClickRoutes.ts';
import { orderRoutes } from './orderRoutes.ts';
import { createRouter, type Routes } from './route.ts';
import { transferRoutes } from './transferRoutes.ts';
import { userRoutes } from './userRoutes.ts';

export type { Match } from './route.ts';

const routes: Routes = {
  ...marketRoutes,
  ...userRoutes,
  ...orderRoutes,
  ...transferRoutes,
  ...deferredRoutes,
  ...oneClickRoutes,
};

export const findRoute = createRouter(routes);

/** True for a name such as `DELETE /api/v1/orders/{orderId}/send`, or `other` for unknown requests. */
export const isEndpoint = (name: string): boolean => name === 'other' || Object.hasOwn(routes, name);
