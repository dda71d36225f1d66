/** Returns the weakened exports of one module of the bridge, by name. */
export type Replacement = {
  (): Promise<Readonly<Record<string, unknown>>>
  /** The module, as it is named here. */
  readonly of: string
}

/** The module with some exports in a weaker form of the same type. */
export const instead = <Module extends object>(
  load: () => Promise<Module>,
  weaken: (original: Module) => Partial<Module>,
): Replacement => {
  const replacement = async () => {
    const original = await load()
    const weakened: Readonly<Record<string, unknown>> = { ...weaken(original) }
    for (const [name, value] of Object.entries(weakened))
      if (!(name in original) || Reflect.get(original, name) === value)
        throw new Error(`${name} does not replace an export of its module`)
    return weakened
  }
  return Object.assign(replacement, { of: /import\(['"](.*)['"]\)/.exec(`${load}`)?.[1] ?? '' })
}

/** The weakened exports of this process, by the URL of their module. */
export const replaced = new Map<string, Readonly<Record<string, unknown>>>()
