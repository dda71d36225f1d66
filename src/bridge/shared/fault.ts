import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const maxFrames = 5

/** The lines of a stack after its message, which may have lines of its own, and may quote data. */
const framesOf = ({ name, message, stack = '' }: Error): ReadonlyArray<string> => {
  const lines = stack.split('\n').slice(`${name}: ${message}`.split('\n').length)
  return lines.slice(lines.findLastIndex((line) => !line.startsWith('    at ')) + 1)
}

/** `src/bridge/egress/egress.ts:85:12`, if a frame is of this project's own code. */
const placeOf = (frame: string): ReadonlyArray<string> => {
  const begin = frame.indexOf(root)
  if (begin < 0 || frame.includes('/node_modules/')) return []
  const place = frame.slice(begin + root.length).replace(/\)$/, '')
  return /^[\w./-]+:\d+:\d+$/.test(place) ? [place] : []
}

const simple = (text: unknown, pattern: RegExp) => (typeof text === 'string' && pattern.test(text) ? text : undefined)

const oneFaultOf = (error: Error): string => {
  const places = framesOf(error).flatMap(placeOf).slice(0, maxFrames)
  const name = simple(error.name, /^\w{1,60}$/) ?? 'Error'
  const code = simple('code' in error ? error.code : undefined, /^[A-Z][A-Z0-9_]{1,40}$/)
  return [
    name,
    ...(code === undefined ? [] : [code]),
    ...(places.length === 0 ? [] : [`at ${places.join(', ')}`]),
  ].join(' ')
}

/**
 * What an unforeseen error is and where in this project it happened: `TypeError at src/bridge/egress/egress.ts:85:12`. It has
 * neither the message, which may quote what a person wrote, nor names of functions.
 */
export const faultOf = (error: unknown): string => {
  const faults: string[] = []
  for (let at = error; at instanceof Error && faults.length < 3; at = at.cause) faults.push(oneFaultOf(at))
  return faults.length === 0 ? `thrown: ${typeof error}` : faults.join('; because of ')
}

const oneFault = String.raw`\w+(?: [A-Z][A-Z0-9_]+)?(?: at [\w./-]+:\d+:\d+(?:, [\w./-]+:\d+:\d+)*)?`
const faults = new RegExp(`^${oneFault}(?:; because of ${oneFault})*$`)

/** Whether a text is what `faultOf` says, which has nothing of anybody's data. */
export const isFault = (text: string): boolean => faults.test(text)

/**
 * The cause of an error for logs. Only plain errors, which the bridge itself throws, show their message. Of all others
 * it is the name, the code and the place in the bridge: a library's message may quote personal data.
 */
export const reasonOf = (error: unknown): string =>
  error instanceof Error && error.name === 'Error' && !('code' in error) ? error.message : faultOf(error)
