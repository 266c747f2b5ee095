import { cashRoutes } from './cashRoutes.ts';
import { marketRoutes } from './marketRoutes.ts';
import { oneClickRoutes } from './oneClickRoutes.ts';
import { orderRoutes } from './orderRoutes.ts';
import { createRouter } from './route.ts';
import { userRoutes } from './userRoutes.ts';

export type { Match, Recovered, Route } from './route.ts';

export const findRoute = createRouter([
  ...marketRoutes,
  ...userRoutes,
  ...orderRoutes,
  ...cashRoutes,
  ...oneClickRoutes,
]);
