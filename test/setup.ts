import fc from 'fast-check';

/** The same cases every time, so that a failure is caused by a change. `FUZZ_SEED=$RANDOM npm test` tries new ones. */
fc.configureGlobal({ seed: Number(process.env['FUZZ_SEED'] ?? 20_260_615) });
