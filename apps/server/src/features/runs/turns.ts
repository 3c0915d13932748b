/**
 * Splits what robots said or showed into turns, each with one thing of a robot at most, in the order given: what many
 * robots said once is recorded by a few statements, and what one robot said twice one after the other.
 */
export function turnsOf<T extends { readonly robotId: number }>(said: readonly T[]): T[][] {
  const turns: T[][] = [];
  const countOf = new Map<number, number>();
  for (const each of said) {
    const turn = countOf.get(each.robotId) ?? 0;
    countOf.set(each.robotId, turn + 1);
    (turns[turn] ??= []).push(each);
  }
  return turns;
}
