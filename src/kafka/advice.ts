import { type TlsTrouble, tlsTrouble } from '../shared/tls-trouble.ts'

const tls: Readonly<Record<TlsTrouble, string>> = {
  untrusted: "KAFKA_SSL_CA has no authority that has signed the broker's certificate",
  'not valid now': "the broker's certificate is not valid now",
  'other host':
    "the broker's certificate is not for this host: see KAFKA_BROKERS, and the broker's advertised listeners",
  'client certificate': 'the broker wants a certificate that it trusts: see KAFKA_SSL_CERT and KAFKA_SSL_KEY',
  'no tls': 'no TLS is spoken at this port: see KAFKA_SSL and KAFKA_BROKERS',
}

const sasl = (message: string): string =>
  message.includes('not supported by the server')
    ? 'see KAFKA_SASL_MECHANISM'
    : 'see KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD'

/** Which setting an operator has to look at, where the error is of a kind that settings cause. */
export const adviceFor = (error: unknown): string | undefined => {
  const trouble = tlsTrouble(error)
  if (trouble !== undefined) return tls[trouble]
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++)
    if (at.name === 'KafkaJSSASLAuthenticationError') return sasl(at.message)
  return undefined
}
