import { execFile } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

const openssl = promisify(execFile)

export type Certificate = {
  readonly cert: string
  readonly key: string
  /** The files of the certificate, of its key, and of both together. */
  readonly certFile: string
  readonly keyFile: string
  readonly bothFile: string
}

const request = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '2']

const make = async (directory: string, name: string, more: ReadonlyArray<string>): Promise<Certificate> => {
  const file = (ending: string) => join(directory, `${name}.${ending}`)
  const [certFile, keyFile, bothFile] = [file('crt'), file('key'), file('pem')]
  await openssl('openssl', [...request, '-subj', `/CN=${name}`, '-out', certFile, '-keyout', keyFile, ...more])
  const [cert, key] = [readFileSync(certFile, 'utf8'), readFileSync(keyFile, 'utf8')]
  writeFileSync(bothFile, key + cert)
  return { cert, key, certFile, keyFile, bothFile }
}

/** A test's certificate authority, and the certificates that it signs. It uses the machine's openssl (3.0 or later). */
export const newAuthority = async (directory: string, name: string) => {
  mkdirSync(directory, { recursive: true })
  const own = await make(directory, name, ['-addext', 'keyUsage=critical,keyCertSign,cRLSign'])
  const signed = ['-CA', own.certFile, '-CAkey', own.keyFile]
  const constraints = ['-addext', 'basicConstraints=critical,CA:FALSE']
  return {
    own,
    /** A certificate for a server at `localhost`, and at no other name or address. */
    forLocalhost: (of: string) =>
      make(directory, of, [...signed, ...constraints, '-addext', 'subjectAltName=DNS:localhost']),
    forClient: (of: string) => make(directory, of, [...signed, ...constraints]),
  }
}
export type Authority = Awaited<ReturnType<typeof newAuthority>>
