import fc from 'fast-check';

/** The same cases every time, so that a red run is a change's doing. `FUZZ_SEED=$RANDOM npm test` looks for new ones. */
fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_260_615) });
