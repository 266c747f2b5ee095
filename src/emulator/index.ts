export {
  openFront,
  openMachine,
  openRpcFront,
  savedInstant,
  type Kept,
  type VenueOptions,
} from './emulator.ts';
export type { VenueRequest } from './wire/messages.ts';
export type { Front, Latency } from './http/front.ts';
export { createInProcessTransport, type InProcessRequest } from './http/inProcess.ts';
export type { AccountInfo, EmulatorInfo } from './info.ts';
export { startEmulator, type Emulator, type EmulatorOptions } from './start.ts';
export type { Truth } from './machine/truth.ts';
