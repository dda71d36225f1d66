const isStackFrame = (line: string) => /^\s/.test(line)
const isNoise = (line: string) => line.trim() === '' || isStackFrame(line)

/** mongod logs JSON; `F` and `E` are its fatal and its other errors. */
const mongodError = (line: string): string | undefined => {
  if (!/^\{.*"s":"[FE]"/.test(line)) return undefined
  const text = (key: string) => new RegExp(`"${key}":"((?:[^"\\\\]|\\\\.)*)"`).exec(line)?.[1]
  return [text('msg'), text('errmsg') ?? text('error')].filter((part) => part !== undefined).join(': ')
}

/** The line of a log that tells best why its server ended: mongod's last error, or else the last line of a message. */
export const lastWords = (log: string): string => {
  const lines = log.split(/\r?\n/).filter((line) => !isNoise(line))
  const error = lines.map(mongodError).findLast((line) => line !== undefined)
  return (error ?? lines.at(-1) ?? 'it wrote no log').slice(0, 300)
}
