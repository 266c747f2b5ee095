import { dryWorld } from './dryWorld.ts';
import { emulatedWorld, venueWorld, type World, type WorldInput } from './world.ts';

const WORLDS = { emulator: emulatedWorld, 'dry-run': dryWorld, live: venueWorld };

/** What the mode of the config trades in. */
export const openWorld = (input: WorldInput): Promise<World> => WORLDS[input.loaded.config.mode](input);
