/** Disposing a permit releases it. */
export type Permit = Disposable
/**
 * Resolves with a permit when there is room for its weight (1 by default) or when the signal aborts. A permit that is
 * heavier than a limit is granted alone.
 */
export type Acquire = (signal?: AbortSignal, weight?: number) => Promise<Permit>
/** The same for one of several owners who share the limit, for example an account. */
export type AcquireFor = (owner: string, signal?: AbortSignal, weight?: number) => Promise<Permit>

/** The weight of all permits at the same time, and of those of one owner. */
export type Shares = { readonly inAll: number; readonly ofOne: number }

type Waiting = { readonly weight: number; readonly enter: () => void }

const fits = (taken: number, weight: number, limit: number) => taken === 0 || taken + weight <= limit

/**
 * Grants permits up to these weights at the same time. Owners who wait have turns, one permit a turn, so an owner with
 * many waiting callers delays another owner's next permit by one permit of its own at most. An owner with all that one
 * may have is left out until it gives something back. Callers of one owner wait in the order of their calls.
 */
export const fairSemaphore = ({ inAll, ofOne }: Shares): AcquireFor => {
  const held = new Map<string, number>()
  /** The callers of each owner, in the order of the owners' turns. */
  const lines = new Map<string, Set<Waiting>>()
  let taken = 0

  const heldBy = (owner: string) => held.get(owner) ?? 0
  const add = (owner: string, weight: number) => {
    const weightNow = heldBy(owner) + weight
    taken += weight
    if (weightNow === 0) held.delete(owner)
    else held.set(owner, weightNow)
  }
  const take = (owner: string, weight: number): Permit => {
    let isHeld = true
    add(owner, weight)
    return {
      [Symbol.dispose]: () => {
        if (!isHeld) return
        isHeld = false
        add(owner, -weight)
        grantMore()
      },
    }
  }
  const leave = (owner: string, caller: Waiting) => {
    const line = lines.get(owner)
    line?.delete(caller)
    if (line?.size === 0) lines.delete(owner)
  }
  /** Grants the permit whose turn it is. False if there is none, or no room for it: nobody passes it then. */
  const grantNext = (): boolean => {
    for (const [owner, line] of lines) {
      const [first] = line
      if (first === undefined || !fits(heldBy(owner), first.weight, ofOne)) continue
      if (!fits(taken, first.weight, inAll)) return false
      lines.delete(owner)
      lines.set(owner, line)
      first.enter()
      return true
    }
    return false
  }
  const grantMore = () => {
    while (grantNext());
  }
  return (owner, signal, weight = 1) => {
    // Who gives up has no turn, so its permit has no weight.
    if (signal?.aborted) return Promise.resolve(take(owner, 0))
    if (lines.size === 0 && fits(heldBy(owner), weight, ofOne) && fits(taken, weight, inAll))
      return Promise.resolve(take(owner, weight))
    return new Promise((resolve) => {
      const end = (granted: number) => {
        leave(owner, caller)
        signal?.removeEventListener('abort', giveUp)
        resolve(take(owner, granted))
      }
      const giveUp = () => {
        end(0)
        grantMore()
      }
      const caller = { weight, enter: () => end(weight) }
      const line = lines.get(owner) ?? new Set()
      lines.set(owner, line.add(caller))
      signal?.addEventListener('abort', giveUp, { once: true })
      grantMore()
    })
  }
}

/** Grants permits up to this weight at the same time. Other callers wait in the order of their calls. */
export const semaphore = (limit: number): Acquire => {
  const acquire = fairSemaphore({ inAll: limit, ofOne: limit })
  return (signal, weight) => acquire('', signal, weight)
}

const never = new AbortController().signal

/** Runs at most so many pieces of work at the same time, in the order of the calls. */
export const limitConcurrency = (atOnce: number): (<A>(work: () => Promise<A>) => Promise<A>) => {
  const acquire = semaphore(atOnce)
  return async (work) => {
    using _permit = await acquire(never)
    return await work()
  }
}
