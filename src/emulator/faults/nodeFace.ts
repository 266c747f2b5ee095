import { z } from 'zod';
import { CLIENTS } from '../chain/clientWords.ts';
import { faceOfClient, type NodeFace } from '../chain/nodeFace.ts';
import { day } from './common.ts';

/** Highest peak of the base fee: beyond it a block would change it by more than an eighth (EIP-1559). */
const PEAK_MAX = 16;

/** The face of the chain's node: that of `client` as it comes, but for what is given. */
export const nodeFace = z
  .strictObject({
    client: z.enum(CLIENTS),
    countsWaiting: z.boolean().optional(),
    showsWaiting: z.boolean().optional(),
    charges: z.enum(['used', 'limit']).optional(),
    reverts: z.enum(['text', 'custom', 'bare']).optional(),
    replacementPercent: z.int().min(0).max(100).optional(),
    expiryMs: day.nullable().optional(),
    baseFeePeak: z.number().min(1).max(PEAK_MAX).optional(),
  })
  .transform(({ client, ...own }): NodeFace => {
    const given = Object.entries(own).filter(([, value]) => value !== undefined);
    return { ...faceOfClient(client), ...Object.fromEntries(given) };
  });
