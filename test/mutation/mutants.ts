import { answerMutants } from './answers.ts';
import { archiveMutants } from './archives.ts';
import { assumptionMutants } from './assumptions.ts';
import { backtestMutants } from './backtests.ts';
import { columnarMutants } from './columnar.ts';
import { constantMutants } from './constants.ts';
import { decisionMutants } from './decisions.ts';
import { deferredMutants } from './deferred.ts';
import { controlMutants } from './control.ts';
import { dryRunMutants } from './dryRun.ts';
import { endMutants } from './ends.ts';
import { externalOrderMutants } from './externalOrders.ts';
import { figureMutants } from './figures.ts';
import { gasMutants } from './gas.ts';
import { limitMutants } from './limits.ts';
import { locationMutants } from './locations.ts';
import { nightMutants } from './nights.ts';
import { nonceMutants } from './nonces.ts';
import { handMutants } from './hands.ts';
import { messageMutants } from './messages.ts';
import { moneyMutants } from './money.ts';
import type { Mutant } from './mutant.ts';
import { notificationMutants } from './notifications.ts';
import { pageMutants } from './page.ts';
import { pinMutants } from './pins.ts';
import { placeMutants } from './places.ts';
import { processMutants } from './process.ts';
import { proofMutants } from './proofs.ts';
import { journalMutants } from './journal.ts';
import { protectiveMutants } from './protective.ts';
import { refusalMutants } from './refusals.ts';
import { replacementMutants } from './replacements.ts';
import { restrictionMutants } from './restrictions.ts';
import { revertMutants } from './reverts.ts';
import { screenMutants } from './screens.ts';
import { sendingMutants } from './sending.ts';
import { startMutants } from './starts.ts';
import { steeringMutants } from './steering.ts';
import { threadMutants } from './threads.ts';
import { venueRuleMutants } from './venueRules.ts';
import { waitMutants } from './waits.ts';
import { workingMutants } from './working.ts';
import { walletMutants } from './wallet.ts';

/** All bugs that the tests must catch. */
export const MUTANTS: readonly Mutant[] = [
  ...sendingMutants,
  ...journalMutants,
  ...archiveMutants,
  ...answerMutants,
  ...endMutants,
  ...externalOrderMutants,
  ...handMutants,
  ...decisionMutants,
  ...deferredMutants,
  ...proofMutants,
  ...protectiveMutants,
  ...replacementMutants,
  ...restrictionMutants,
  ...revertMutants,
  ...nightMutants,
  ...waitMutants,
  ...workingMutants,
  ...walletMutants,
  ...gasMutants,
  ...nonceMutants,
  ...refusalMutants,
  ...notificationMutants,
  ...pinMutants,
  ...constantMutants,
  ...processMutants,
  ...startMutants,
  ...threadMutants,
  ...dryRunMutants,
  ...backtestMutants,
  ...columnarMutants,
  ...screenMutants,
  ...messageMutants,
  ...moneyMutants,
  ...figureMutants,
  ...venueRuleMutants,
  ...limitMutants,
  ...locationMutants,
  ...placeMutants,
  ...assumptionMutants,
  ...steeringMutants,
  ...controlMutants,
  ...pageMutants,
];
