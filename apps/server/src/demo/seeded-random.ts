/** Numbers that look random and are the same at every start: 0 to below 1, a new series for each seed. */
export function seededRandom(seed: string): () => number {
  // FNV-1a of the text, then mulberry32.
  let state = 0x811c9dc5;
  for (const letter of seed) state = Math.imul(state ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** A whole number from `least` to `most`, both included. */
export function wholeFrom(random: () => number, least: number, most: number): number {
  return least + Math.floor(random() * (most - least + 1));
}

/** One of several. Throws where there is none. */
export function oneOf<T>(random: () => number, choices: readonly T[]): T {
  const choice = choices[Math.floor(random() * choices.length)];
  if (choice === undefined) throw new Error("There is nothing to choose from.");
  return choice;
}
