import { randomBytes, randomUUID } from 'node:crypto'

const wellFormed = /^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/** The request's traceparent (W3C Trace Context) where it is well-formed, else the beginning of a new trace. */
export const traceparentOf = (header: string): string =>
  wellFormed.test(header) ? header : `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`

/** The request's own id where it is one word of 1 to 128 plain characters, else a new one. */
export const requestIdOf = (header: string): string => (/^[\w.:-]{1,128}$/.test(header) ? header : randomUUID())
