export {
  openFront,
  openMachine,
  openRpcFront,
  savedInstant,
  type KeptMachine,
  type VenueOptions,
} from './emulator.ts';
export type { VenueRequest } from './state/messages.ts';
export type { Front, Latency } from './http/front.ts';
export type { AccountInfo, EmulatorInfo } from './start.ts';
export { startEmulator, type Emulator, type EmulatorOptions } from './start.ts';
export type { Truth } from './views/truth.ts';
