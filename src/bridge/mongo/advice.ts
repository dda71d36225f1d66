import { MongoServerError, MongoServerSelectionError } from 'mongodb'
import { type TlsTrouble, tlsTrouble } from '../shared/tls-trouble.ts'

const tls: Readonly<Record<TlsTrouble, string>> = {
  untrusted: "the server's certificate is not signed by an authority in tlsCAFile of MONGODB_URL",
  'not valid now': "the server's certificate has expired or is not valid yet",
  'other host': "the server's certificate is not for this host: see the hosts of MONGODB_URL and of the replica set",
  'client certificate':
    'the server requires a client certificate that it trusts: see tlsCertificateKeyFile of MONGODB_URL',
  'no tls': 'the server does not use TLS on this port: see tls of MONGODB_URL',
}

const refused: Readonly<Record<string, string>> = {
  13: 'the user of MONGODB_URL lacks the required privileges',
  18: 'the user name, the password or the authSource of MONGODB_URL is wrong',
}

const closed = 'the server closes each connection: see tls and tlsCertificateKeyFile of MONGODB_URL'

/** Names the setting that an operator has to check. Undefined if settings do not cause this kind of error. */
export const adviceFor = (error: unknown): string | undefined => {
  const trouble = tlsTrouble(error)
  if (trouble !== undefined) return tls[trouble]
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    if (at instanceof MongoServerError) return refused[String(at.code)]
  }
  // With TLS 1.3 the server does not tell the client that its certificate is missing.
  const isClosed = error instanceof MongoServerSelectionError && error.message.endsWith(' closed')
  return isClosed ? closed : undefined
}
