import { MongoServerError, MongoServerSelectionError } from 'mongodb'
import { type TlsTrouble, tlsTrouble } from '../shared/tls-trouble.ts'

const tls: Readonly<Record<TlsTrouble, string>> = {
  untrusted: "tlsCAFile of MONGODB_URL has no authority that has signed the server's certificate",
  'not valid now': "the server's certificate is not valid now",
  'other host': "the server's certificate is not for this host: see the hosts of MONGODB_URL and of the replica set",
  'client certificate': 'the server wants a certificate that it trusts: see tlsCertificateKeyFile of MONGODB_URL',
  'no tls': 'no TLS is spoken at this port: see tls of MONGODB_URL',
}

const refused: Readonly<Record<string, string>> = {
  13: 'the user of MONGODB_URL may not do this',
  18: 'user name or password of MONGODB_URL are wrong, or its authSource',
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
