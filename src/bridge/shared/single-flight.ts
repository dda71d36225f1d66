/**
 * Shares one request between concurrent callers with the same key. A caller never gets the result of a request that
 * began before its call: calls that arrive while a request runs share the next request.
 */
export const singleFlight = <Key, A>(request: (key: Key) => Promise<A>): ((key: Key) => Promise<A>) => {
  type Turn = { readonly running: Promise<A>; next: Promise<A> | undefined }
  const turns = new Map<Key, Turn>()

  const begin = (key: Key): Promise<A> => {
    const running = request(key)
    const turn: Turn = { running, next: undefined }
    turns.set(key, turn)
    const end = () => {
      if (turn.next === undefined) turns.delete(key)
    }
    running.then(end, end)
    return running
  }
  return (key) => {
    const turn = turns.get(key)
    if (turn === undefined) return begin(key)
    const again = () => begin(key)
    turn.next ??= turn.running.then(again, again)
    return turn.next
  }
}
