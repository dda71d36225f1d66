import {
  BSON,
  MongoBulkWriteError,
  MongoInvalidArgumentError,
  MongoNetworkError,
  MongoNetworkTimeoutError,
  MongoServerError,
  MongoServerSelectionError,
  MongoWriteConcernError,
} from 'mongodb'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { classify, isOvertaken, mongoReasonOf, unlessThere } from '../../../src/bridge/mongo/classify.ts'

const classification = suite('errors of MongoDB')

const bulk = (...codes: ReadonlyArray<number>) =>
  new MongoBulkWriteError(
    { message: 'refused', code: codes[0] ?? 0, writeErrors: codes.map((code) => ({ code })) as never },
    {} as never,
  )
const server = (code: number) => new MongoServerError({ errmsg: 'refused', code })

const itsOwnCause = new Error('again')
itsOwnCause.cause = itsOwnCause

const table: ReadonlyArray<readonly [string, unknown, 'transient' | 'permanent', string]> = [
  ['a field name with NUL', new BSON.BSONError('key a'), 'permanent', 'BSONError'],
  ['a document above 16 MB', new MongoInvalidArgumentError('too large'), 'permanent', 'MongoInvalidArgumentError'],
  ['the same, reported by the server', server(10334), 'permanent', 'MongoServerError 10334'],
  ['nested too deep', bulk(15), 'permanent', 'MongoBulkWriteError 15'],
  ['a validator', bulk(121, 121), 'permanent', 'MongoBulkWriteError 121, 121'],
  ['a fault of a document and another error', bulk(121, 11000), 'transient', 'MongoBulkWriteError 121, 11000'],
  ['a connection that breaks', new MongoNetworkError('reset'), 'transient', 'MongoNetworkError'],
  ['a silent connection', new MongoNetworkTimeoutError('silent'), 'transient', 'MongoNetworkTimeoutError'],
  ['no primary', new MongoServerSelectionError('none', {} as never), 'transient', 'MongoServerSelectionError'],
  ['a primary that steps down', server(10107), 'transient', 'MongoServerError 10107'],
  [
    'a write concern',
    new MongoWriteConcernError({ ok: 1, writeConcernError: { code: 64, errmsg: 'timeout' } } as never),
    'transient',
    'MongoWriteConcernError 64',
  ],
  ['a disk that is full', server(14031), 'transient', 'MongoServerError 14031'],
  [
    'no permission',
    server(13),
    'transient',
    'MongoServerError 13: the user of MONGODB_URL lacks the required privileges',
  ],
  [
    'a wrong password, behind another error',
    new Error('not connected', { cause: server(18) }),
    'transient',
    'Error: the user name, the password or the authSource of MONGODB_URL is wrong',
  ],
  [
    'a server that requires a certificate',
    new MongoServerSelectionError('connection 1 to 127.0.0.1:27017 closed', {} as never),
    'transient',
    'MongoServerSelectionError: the server closes each connection: see tls and tlsCertificateKeyFile of MONGODB_URL',
  ],
  [
    'a certificate of an unknown authority',
    Object.assign(new MongoNetworkError('self-signed certificate'), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' }),
    'transient',
    "MongoNetworkError: the server's certificate is not signed by an authority in tlsCAFile of MONGODB_URL, or comes without its chain",
  ],
  ['an error that is its own cause', itsOwnCause, 'transient', 'Error'],
  ['a deadline', new Error('not answered'), 'transient', 'Error'],
  ['nonsense', 'nonsense', 'transient', 'unknown error'],
]
for (const [name, error, kind, reason] of table) {
  classification(`${name}: ${kind}`, () => {
    assert.equal(classify(error), { kind, reason })
  })
}

classification('every code of a document that cannot be stored is permanent', () => {
  const codes = [2, 9, 14, 15, 22, 52, 55, 56, 57, 66, 121, 171, 10334, 17280, 17419, 17420]
  assert.equal(
    codes.filter((code) => classify(server(code)).kind !== 'permanent'),
    [],
  )
})

const failedAsAWhole = new MongoBulkWriteError({ message: 'refused', code: 6, writeErrors: [] }, {} as never)
classification('a bulk write that failed as a whole has its own code, and nobody was faster', () => {
  assert.equal(classify(failedAsAWhole), { kind: 'transient', reason: 'MongoBulkWriteError 6' })
  assert.is(isOvertaken(failedAsAWhole), false)
})

classification("an operator sees the message of the bridge's own error, and no message of the driver", () => {
  assert.equal([new Error('not answered'), server(6), 'nonsense'].map(mongoReasonOf), [
    'not answered',
    'MongoServerError 6',
    'unknown error',
  ])
})

classification('a document is new unless it is there already', async () => {
  const insert = (error?: Error) => unlessThere(error === undefined ? Promise.resolve() : Promise.reject(error))
  assert.equal([await insert(), await insert(server(11000))], [true, false])
  for (const other of [server(6), new Error('not answered')])
    assert.is(await insert(other).catch((error: unknown) => error), other)
})

classification("the bridge's own fault is permanent, and the reason says where it happened", () => {
  for (const fault of [new RangeError('Anna'), new TypeError('Anna')]) {
    const { kind, reason } = classify(fault)
    assert.is(kind, 'permanent')
    assert.match(reason, /^(?:Range|Type)Error at test\/bridge\/mongo\/classify\.test\.ts:\d+:\d+/)
    assert.not.match(reason, 'Anna')
  }
})

classification('a duplicate document means that another writer was faster, also beside documents at fault', () => {
  const errors = [bulk(11000), bulk(11000, 11000), bulk(11000, 121), bulk(11000, 6), bulk(121), server(11000)]
  assert.equal(errors.map(isOvertaken), [true, true, true, false, false, false])
})

classification.run()
