import { createPrivateKey, X509Certificate } from 'node:crypto'

const certificate = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

const certificatesIn = (text: string): ReadonlyArray<X509Certificate> =>
  [...text.matchAll(certificate)].map(([block]) => new X509Certificate(block))

const does = (attempt: () => boolean): boolean => {
  try {
    return attempt()
  } catch {
    return false
  }
}

/** Whether the text holds certificates in PEM, one or more, that can all be read. */
export const isCertificates = (text: string): boolean => does(() => certificatesIn(text).length > 0)

/** Whether the text is a private key in PEM that needs no password. */
export const isPrivateKey = (text: string): boolean => does(() => createPrivateKey(text).type === 'private')

/** Whether it is the key of the first certificate, the others being its chain. */
export const isKeyOf = (certificates: string, key: string): boolean =>
  does(() => certificatesIn(certificates)[0]?.checkPrivateKey(createPrivateKey(key)) ?? false)
