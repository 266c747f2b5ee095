/** Events of held orders that a campaign must have met. */
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
