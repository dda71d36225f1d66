const isStackFrame = (line: string) => /^\s/.test(line)
const isNoise = (line: string) => line.trim() === '' || isStackFrame(line)

/** mongod logs JSON. Severity `F` is a fatal error, `E` another error. */
const mongodError = (line: string): string | undefined => {
  if (!/^\{.*"s":"[FE]"/.test(line)) return undefined
  const text = (key: string) => new RegExp(`"${key}":"((?:[^"\\\\]|\\\\.)*)"`).exec(line)?.[1]
  return [text('msg'), text('errmsg') ?? text('error')].filter((part) => part !== undefined).join(': ')
}

/** The log line that best explains why the server ended: mongod's last error, otherwise the last message line. */
export const stderrTail = (log: string): string => {
  const lines = log.split(/\r?\n/).filter((line) => !isNoise(line))
  const error = lines.map(mongodError).findLast((line) => line !== undefined)
  return (error ?? lines.at(-1) ?? 'it wrote no log').slice(0, 300)
}
