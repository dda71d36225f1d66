/**
 * The items in groups: those that share a name belong together, also through others. Groups, and the items in them, are
 * in the order of the items. Items without a name are left out.
 */
export const connected = <A>(
  items: ReadonlyArray<A>,
  namesOf: (item: A) => ReadonlyArray<string>,
): ReadonlyArray<ReadonlyArray<A>> => {
  const parents = new Map<string, string>()
  const rootOf = (name: string): string => {
    let root = name
    for (let next = parents.get(root); next !== undefined; next = parents.get(root)) root = next
    for (let at = name; at !== root; ) {
      const next = parents.get(at) ?? root
      parents.set(at, root)
      at = next
    }
    return root
  }
  const named = items.flatMap((item) => {
    const [first, ...others] = namesOf(item)
    return first === undefined ? [] : [{ item, first, others }]
  })
  for (const { first, others } of named)
    for (const other of others) {
      const [root, joining] = [rootOf(first), rootOf(other)]
      if (root !== joining) parents.set(joining, root)
    }
  const groups = Map.groupBy(named, ({ first }) => rootOf(first))
  return [...groups.values()].map((those) => those.map(({ item }) => item))
}
