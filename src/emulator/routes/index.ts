import { cashRoutes } from './cashRoutes.ts';
import { deferredRoutes } from './deferredRoutes.ts';
import { marketRoutes } from './marketRoutes.ts';
import { oneClickRoutes } from './oneClickRoutes.ts';
import { orderRoutes } from './orderRoutes.ts';
import { createRouter } from './route.ts';
import { stockRoutes } from './stockRoutes.ts';
import { userRoutes } from './userRoutes.ts';
import { withDepositRoutes } from './withDepositRoutes.ts';

export type { Match, Recovered, Route } from './route.ts';

export const findRoute = createRouter([
  ...marketRoutes,
  ...userRoutes,
  ...withDepositRoutes,
  ...orderRoutes,
  ...cashRoutes,
  ...stockRoutes,
  ...deferredRoutes,
  ...oneClickRoutes,
]);
