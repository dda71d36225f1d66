const space = /[ \t\n\r]*/y
const string = /"(?:[^"\\\p{Cc}]|\\(?:["\\/bfnrt]|u[\dA-Fa-f]{4}))*"/uy
const word = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/** Where a text stops being JSON: at its end, if something is missing there. */
const offsetOf = (text: string): number => {
  let at = 0
  const take = (token: RegExp): boolean => {
    token.lastIndex = at
    const found = token.exec(text)?.[0]
    at += found?.length ?? 0
    return found !== undefined
  }
  const sign = (wanted: string): boolean => {
    take(space)
    if (text[at] !== wanted) return false
    at++
    return true
  }
  const list = (end: string, item: () => boolean): boolean => {
    if (sign(end)) return true
    do if (!item()) return false
    while (sign(','))
    return sign(end)
  }
  const member = (): boolean => {
    take(space)
    return take(string) && sign(':') && value()
  }
  const value = (): boolean => {
    if (sign('{')) return list('}', member)
    if (sign('[')) return list(']', value)
    return take(string) || take(word)
  }
  if (value()) take(space)
  return at
}

/**
 * Where a text is not JSON, as `line 3, column 14`. The words of JSON.parse cannot be shown, since they repeat the text, which may
 * hold secrets, and not all of them have a position.
 */
export const jsonMistake = (text: string): string => {
  const before = text.slice(0, offsetOf(text)).split('\n')
  return `line ${before.length}, column ${(before.at(-1) ?? '').length + 1}`
}
