/** How many persons of an account may be erased in a day without an operator: at least this many, and this part. */
const minLimit = 20
const limitPart = 0.05

export const limitOf = (persons: number): number => Math.max(minLimit, Math.floor(persons * limitPart))

/** Who is to be erased because of an account's `retainDays`. Persons have any unique names. */
type Considered = {
  /** Persons without an event for so long by every clock. */
  readonly due: Iterable<string>
  /** Persons whose newest events are old by the bridge's clock, but not by the broker's. */
  readonly disputed: Iterable<string>
  /** Persons who were erased within a day. They may be in `due` too. */
  readonly today: Iterable<string>
  /** How many persons the account has. */
  readonly persons: number
}

export type Decision = {
  readonly erase: ReadonlyArray<string>
  /** Those who wait for an operator. */
  readonly wait: ReadonlyArray<string>
}

/**
 * Decides who is erased now. More than the limit wait for an operator, all of them: a wrong clock or a wrong setting
 * looks like this, and what is erased cannot be brought back. Those whose silence the broker disputes wait in any case.
 */
export const limitDailyErasures = ({ due, disputed, today, persons }: Considered): Decision => {
  const [old, doubtful, before] = [new Set(due), new Set(disputed), new Set(today)]
  const fresh = [...old].filter((person) => !before.has(person) && !doubtful.has(person))
  const wait = [...doubtful].filter((person) => !before.has(person))
  return before.size + fresh.length + wait.length > limitOf(persons)
    ? { erase: [], wait: [...fresh, ...wait] }
    : { erase: fresh, wait }
}
