/** Why a TLS connection failed, as far as its error shows. */
export type TlsTrouble = 'untrusted' | 'not valid now' | 'other host' | 'client certificate' | 'no tls'

/** A kind of server, and the settings that may be wrong if it cannot be reached. */
export type ServerWords = {
  /** As in `the broker's certificate`. */
  readonly server: string
  readonly authorities: string
  readonly hosts: string
  readonly clientCertificate: string
  readonly tls: string
}

/** Words for a server whose only setting is its address. Its authorities are those of Node. */
export const wordsOfAddress = (server: string, setting: string): ServerWords => ({
  server,
  authorities: 'NODE_EXTRA_CA_CERTS',
  hosts: setting,
  clientCertificate: setting,
  tls: setting,
})

const tlsReasons: Readonly<Record<TlsTrouble, (words: ServerWords) => string>> = {
  untrusted: ({ server, authorities }) =>
    `${server}'s certificate is not signed by an authority in ${authorities}, or comes without its chain`,
  'not valid now': ({ server }) => `${server}'s certificate has expired or is not valid yet`,
  'other host': ({ server, hosts }) => `${server}'s certificate is not for this host: see ${hosts}`,
  'client certificate': ({ server, clientCertificate }) =>
    `${server} requires a client certificate that it trusts: see ${clientCertificate}`,
  'no tls': ({ tls }) => `this port does not use TLS: see ${tls}`,
}

/** What an operator calls an error of the network, by its code. */
const networkReasons: Readonly<Record<string, (place: string) => string>> = {
  ECONNREFUSED: (place) => `nothing listens at ${place}`,
  ENOTFOUND: (place) => `the host name of ${place} is not known`,
  EAI_AGAIN: (place) => `the host name of ${place} cannot be looked up`,
  EHOSTUNREACH: (place) => `there is no route to ${place}`,
  ENETUNREACH: (place) => `there is no route to ${place}`,
  ETIMEDOUT: (place) => `${place} does not answer`,
  UND_ERR_CONNECT_TIMEOUT: (place) => `${place} does not answer`,
  ECONNRESET: (place) => `${place} reset the connection`,
  UND_ERR_SOCKET: (place) => `${place} closed the connection`,
  EPIPE: (place) => `${place} closed the connection`,
}

const untrusted = [
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
  'CERT_SIGNATURE_FAILURE',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
]

type Told = { readonly code: string; readonly message: string }

const notTls = ['ERR_SSL_WRONG_VERSION_NUMBER', 'ERR_SSL_PACKET_LENGTH_TOO_LONG']

const troubleOf = ({ code, message }: Told): TlsTrouble | undefined => {
  if (untrusted.includes(code)) return 'untrusted'
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') return 'not valid now'
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return 'other host'
  if (notTls.includes(code) || message.includes('before secure TLS connection was established')) return 'no tls'
  const isAlert = code.startsWith('ERR_SSL_') && code.includes('ALERT')
  return isAlert && /CERTIFICATE|UNKNOWN_CA|HANDSHAKE_FAILURE/.test(code) ? 'client certificate' : undefined
}

/** The error, its causes, and the attempts that it joins: one for each address of a host. */
const chainOf = (error: unknown, depth = 0): ReadonlyArray<Error> => {
  if (!(error instanceof Error) || depth >= 10) return []
  const joined = error instanceof AggregateError ? error.errors : []
  return [error, ...[error.cause, ...joined].flatMap((each) => chainOf(each, depth + 1))]
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : '')

/** The codes of Node, OpenSSL and libraries in the error and its causes, the outermost first. */
export const codesOf = (error: unknown): ReadonlyArray<string> => chainOf(error).map(codeOf).filter(Boolean)

/** Why a server cannot be reached by TLS, and the setting to check. Undefined if TLS is not the cause. */
export const tlsReasonOf = (error: unknown, words: ServerWords): string | undefined => {
  const told = chainOf(error).map((each) => ({ code: codeOf(each), message: each.message }))
  const trouble = told.map(troubleOf).find((each) => each !== undefined)
  return trouble && tlsReasons[trouble](words)
}

/** Why a place in the network cannot be reached. `isTold` finds a code that a library has only in its message. */
export const networkReasonOf = (
  error: unknown,
  place: string,
  isTold: (code: string) => boolean = () => false,
): string | undefined => {
  const codes = codesOf(error)
  const code = Object.keys(networkReasons).find((each) => codes.includes(each) || isTold(each))
  return code === undefined ? undefined : networkReasons[code]?.(place)
}
