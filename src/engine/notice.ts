import type { EpochMs } from '../core/brand.ts';

export type NoticeKind =
  'session' | 'decision' | 'sent' | 'fill' | 'cancel' | 'end' | 'account' | 'strategy' | 'alarm' | 'info';

/** Something worth telling a person. `alarm` asks for attention. */
export type Notice = Readonly<{ at: EpochMs; kind: NoticeKind; owner: string | null; text: string }>;
