const FIRST_CAPACITY = 256;

/** Float64 numbers, as many as come, in one array: kept beside each other they are no work for the collector. */
export class FloatList {
  #values = new Float64Array(FIRST_CAPACITY);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) this.#grow();
    this.#values[this.#length++] = value;
  }

  /** NaN beyond the end. */
  at(index: number): number {
    return index < this.#length ? (this.#values[index] ?? NaN) : NaN;
  }

  #grow(): void {
    const wider = new Float64Array(this.#values.length * 2);
    wider.set(this.#values);
    this.#values = wider;
  }
}
