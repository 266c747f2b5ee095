import type { EpochMs } from '../core/brand.ts';

export type NoticeKind =
  | 'session'
  | 'decision'
  | 'sent'
  | 'fill'
  | 'cancel'
  | 'end'
  | 'account'
  | 'strategy'
  | 'alarm'
  | 'clear'
  | 'info';

/** A notice for a person. `alarm` asks for attention, `clear` says that what one was about is over. */
export type Notice = Readonly<{ at: EpochMs; kind: NoticeKind; owner: string | null; text: string }>;
