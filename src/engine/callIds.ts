/** Gives out each id once: `call_0`, then `call_0_2`, `call_0_3` … */
export class CallIds {
  readonly #taken = new Set<string>();
  /** How often an id was asked for, so that a long session of `call_0` is not counted through each time. */
  readonly #uses = new Map<string, number>();

  take(wanted: string): string {
    let use = (this.#uses.get(wanted) ?? 0) + 1;
    while (this.#taken.has(nameOf(wanted, use))) use++;
    this.#uses.set(wanted, use);
    const id = nameOf(wanted, use);
    this.#taken.add(id);
    return id;
  }
}

function nameOf(id: string, use: number): string {
  return use === 1 ? id : `${id}_${use}`;
}
