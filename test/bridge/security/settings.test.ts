import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { readConfig, type Variables } from '../../../src/app/config.ts'
import { urlProblems } from '../../../src/bridge/mongo/url.ts'
import { runCommand } from '../../support/command.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { newAuthority } from './certificates.ts'

const directory = temporaryFolder()
const authority = await newAuthority(directory, 'Authority')
const [one, other] = [await authority.forClient('one'), await authority.forClient('other')]
const garbage = join(directory, 'garbage')
writeFileSync(garbage, '-----BEGIN CERTIFICATE-----\nc2VjcmV0\n-----END CERTIFICATE-----\n')

const usual = { DATA_DIR: directory, KAFKA_BROKERS: 'localhost:1', MONGODB_URL: 'mongodb://localhost:1' }

const readFile = (path: string): E.Either<string, string> =>
  E.tryCatch(
    () => readFileSync(path, 'utf8').trimEnd(),
    () => 'ENOENT',
  )
const mistakesIn = (variables: Variables): ReadonlyArray<string> => {
  const config = readConfig({ ...usual, ...variables }, readFile, urlProblems)
  return E.isLeft(config) ? config.left.map(({ path, expected }) => `${path}: expected ${expected}`) : []
}

const settings = suite('settings for TLS')

settings('an authority and a certificate with its key are read from their files', async () => {
  const { code, out, err } = await runCommand(['check-config'], {
    ...usual,
    KAFKA_BROKERS: '[::1]:9093,k2.example.com:9093',
    KAFKA_SSL: 'true',
    KAFKA_SSL_CA_FILE: authority.own.certFile,
    KAFKA_SSL_CERT_FILE: one.certFile,
    KAFKA_SSL_KEY_FILE: one.keyFile,
    MONGODB_URL: `mongodb://localhost:1/livechat?tls=true&tlsCAFile=${authority.own.certFile}`,
  })
  assert.equal([code, err], [0, ''])
  assert.not.match(out, 'PRIVATE KEY')
  assert.match(out, '[::1]:9093,k2.example.com:9093 over TLS with a client certificate')
})

const wrong: ReadonlyArray<readonly [title: string, variables: Variables, mistakes: ReadonlyArray<string>]> = [
  [
    'an invalid certificate or key is reported with its variable',
    { KAFKA_SSL: 'true', KAFKA_SSL_CA_FILE: garbage, KAFKA_SSL_CERT: 'c2VjcmV0', KAFKA_SSL_KEY_FILE: one.certFile },
    [
      'KAFKA_SSL_CA: expected certificates in PEM',
      'KAFKA_SSL_CERT: expected a certificate in PEM, with its chain',
      'KAFKA_SSL_KEY: expected a private key in PEM, without a password',
    ],
  ],
  [
    "another certificate's key is not taken",
    { KAFKA_SSL: 'true', KAFKA_SSL_CERT: one.cert, KAFKA_SSL_KEY: other.key },
    ['KAFKA_SSL_KEY: expected the private key of KAFKA_SSL_CERT'],
  ],
  [
    'a certificate comes with its key',
    { KAFKA_SSL: 'true', KAFKA_SSL_CERT: one.cert },
    ['KAFKA_SSL_KEY: expected KAFKA_SSL_CERT and KAFKA_SSL_KEY together'],
  ],
  [
    'an authority for connections without TLS is a mistake',
    { KAFKA_SSL_CA_FILE: authority.own.certFile },
    ['KAFKA_SSL: expected true, since a KAFKA_SSL_ variable is set'],
  ],
  [
    'a file that MONGODB_URL names must exist',
    { MONGODB_URL: `mongodb://u:c2VjcmV0@h/?tls=true&tlsCAFile=${directory}/missing` },
    ['MONGODB_URL tlsCAFile: expected a file that can be read (ENOENT)'],
  ],
  [
    'an unknown option of MongoDB is reported by its name, without the URL',
    { MONGODB_URL: 'mongodb://u:c2VjcmV0@h/?tlsAuthority=x' },
    ['MONGODB_URL: expected a URL with valid MongoDB options: option tlsauthority is not supported'],
  ],
]
for (const [title, variables, mistakes] of wrong) settings(title, () => assert.equal(mistakesIn(variables), mistakes))

settings.run()
