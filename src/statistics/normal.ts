/** Standard normal distribution function, to 15 decimals (Hart's method, as in West, "Better approximations", 2005). */
export function normalBelow(x: number): number {
  const z = Math.abs(x);
  const tail = z > 37 ? 0 : Math.exp((-z * z) / 2) * (z < SPLIT ? rational(z) : fraction(z));
  return x > 0 ? 1 - tail : tail;
}

const SPLIT = 7.07106781186547;

const ABOVE = [
  3.52624965998911e-2, 0.700383064443688, 6.37396220353165, 33.912866078383, 112.079291497871,
  221.213596169931, 220.206867912376,
];
const BELOW = [
  8.83883476483184e-2, 1.75566716318264, 16.064177579207, 86.7807322029461, 296.564248779674,
  637.333633378831, 793.826512519948, 440.413735824752,
];

const polynomial = (coefficients: readonly number[], z: number): number =>
  coefficients.reduce((sum, coefficient) => sum * z + coefficient, 0);

const rational = (z: number): number => polynomial(ABOVE, z) / polynomial(BELOW, z);

const fraction = (z: number): number =>
  1 / (z + 1 / (z + 2 / (z + 3 / (z + 4 / (z + 0.65))))) / Math.sqrt(2 * Math.PI);

const HALLEY_STEPS = 5;

/** Quantile of the standard normal distribution for a probability above 0 and below 1. */
export function normalQuantile(part: number): number {
  const isLow = part < 0.5;
  const t = Math.sqrt(-2 * Math.log(isLow ? part : 1 - part));
  // Abramowitz and Stegun 26.2.23, then Halley's method.
  const first =
    t - (2.515517 + t * (0.802853 + t * 0.010328)) / (1 + t * (1.432788 + t * (0.189269 + t * 0.001308)));
  let x = isLow ? -first : first;
  for (let step = 0; step < HALLEY_STEPS; step++) {
    const off = (normalBelow(x) - part) * Math.sqrt(2 * Math.PI) * Math.exp((x * x) / 2);
    x -= off / (1 + (x * off) / 2);
  }
  return x;
}
