/**
 * Gathers values until `whenFirst`'s function is called, which gives all of them; `whenFirst` itself is called with the first
 * of them each time.
 */
export const gathering = <A>(whenFirst: (gathered: () => A[]) => void) => {
  let values: A[] = []
  const take = () => {
    const taken = values
    values = []
    return taken
  }
  return (...more: A[]): void => {
    if (values.length === 0) whenFirst(take)
    for (const value of more) values.push(value)
  }
}
