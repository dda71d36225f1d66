/** Why a TLS connection failed, as far as its error shows. */
export type TlsTrouble = 'untrusted' | 'not valid now' | 'other host' | 'client certificate' | 'no tls'

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

/** Finds the cause by the codes of Node and OpenSSL in the error and its causes. Undefined if TLS is not the cause. */
export const tlsTrouble = (error: unknown): TlsTrouble | undefined => {
  for (let at = error, depth = 0; at instanceof Error && depth < 10; at = at.cause, depth++) {
    const code = 'code' in at && typeof at.code === 'string' ? at.code : ''
    const trouble = troubleOf({ code, message: at.message })
    if (trouble !== undefined) return trouble
  }
  return undefined
}
