import type { IncomingMessage } from 'node:http'

/** The connection on which a client sent a request. Without an address it is not known, and never local. */
export type Connection = { readonly remoteAddress?: string | undefined; readonly localPort?: number | undefined }

const forwarded = new WeakMap<IncomingMessage, Connection>()

/** Notes that another process of a bridge has sent the request. */
export const setConnection = (req: IncomingMessage, connection: Connection): void => void forwarded.set(req, connection)

/** The client's connection: that of the process which took the request in, otherwise the request's own. */
export const connectionOf = (req: IncomingMessage): Connection => forwarded.get(req) ?? req.socket
