import { z } from 'zod';
import type { Asked } from './prepare.ts';

/** The chain and the product that every request of a client is for. */
export type Scope = Readonly<{ chainId: number; product: string }>;

const named = z.object({
  chainId: z.number().nullish(),
  productType: z.string().nullish(),
  address: z.string().nullish(),
  userAddress: z.string().nullish(),
});

/** Reason why the answer to a question about a user is about somebody or something else; null when it is not, or does not say. */
export function otherScope(data: unknown, { path }: Asked, scope: Scope): string | null {
  if (!path || !('userId' in path) || typeof path.userId !== 'string') return null;
  const { chainId, productType, ...whose } = named.safeParse(data).data ?? {};
  const address = whose.address ?? whose.userAddress ?? path.userId;
  if (address.toLowerCase() !== path.userId.toLowerCase())
    return `it is of another wallet, ${address}, and not of ${path.userId}`;
  if ((chainId ?? scope.chainId) !== scope.chainId)
    return `it is of another chain, ${chainId}, and not of ${scope.chainId}`;
  return (productType ?? scope.product) === scope.product
    ? null
    : `it is of another product than ${scope.product}`;
}
