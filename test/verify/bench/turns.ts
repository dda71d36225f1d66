/** Rounds in turns: forwards, backwards, backwards, forwards. A drift of the machine affects all alike (ABBA). */
export const inTurns = async <A>(
  rounds: number,
  participants: ReadonlyArray<A>,
  take: (participant: A, round: number) => Promise<void>,
): Promise<void> => {
  for (let round = 0; round < rounds; round++) {
    const isBackwards = round % 4 === 1 || round % 4 === 2
    for (const participant of isBackwards ? participants.toReversed() : participants) await take(participant, round)
  }
}
