/** What a campaign must have met of orders that the runner holds. */
export const HELD_COUNTERS = [
  'armed',
  'triggeredByStop',
  'triggeredByTime',
  'trailingRaised',
  'takeProfitFilled',
  'takeProfitCancelledForStop',
  'bothRaced',
  'entryCancelledForStop',
  'partialEntryProtected',
  'heldExpired',
  'heldCancelled',
  'killedWhileArmed',
  'killedWhileTriggered',
  'killedWhileCancellingLeg',
  'splitWhileArmed',
  'sliceSent',
  'sliceLost',
  'workEndedShort',
] as const;
export type HeldCounter = (typeof HELD_COUNTERS)[number];
