import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { mongoClient } from '../../../src/bridge/mongo/client.ts'
import { urlWarnings } from '../../../src/bridge/mongo/url-options.ts'

const effectOf = (query: string) => {
  const { options } = mongoClient({ url: `mongodb://m1,m2/prod?replicaSet=rs0${query}`, database: 'prod' })
  const { appName, maxPoolSize, minPoolSize, retryWrites, retryReads, socketTimeoutMS, writeConcern, readPreference } =
    options
  return {
    appName,
    pool: [minPoolSize, maxPoolSize],
    retries: [retryWrites, retryReads],
    socketTimeoutMS,
    w: [writeConcern?.w, writeConcern?.wtimeoutMS, writeConcern?.journal],
    reads: readPreference.mode,
  }
}
const usual = {
  appName: 'livechat-bridge',
  pool: [0, 20],
  retries: [true, true],
  socketTimeoutMS: 8_000,
  w: ['majority', 5_000, undefined],
  reads: 'primary',
}

const rows: ReadonlyArray<readonly [query: string, effect: object, warnings: ReadonlyArray<string>]> = [
  ['', {}, []],
  ['&appName=chats', { appName: 'chats' }, []],
  ['&MINPOOLSIZE=30', { pool: [30, 30] }, []],
  ['&minPoolSize=30&maxPoolSize=40', { pool: [30, 40] }, []],
  ['&retryWrites=false&retryReads=true', { retries: [false, true] }, []],
  ['&socketTimeoutMS=20000', { socketTimeoutMS: 20_000 }, []],
  ['&retryWrites=true&w=majority', {}, []],
  ['&w=1', {}, ['MONGODB_URL w: has no effect: the bridge uses majority']],
  [
    '&w=0&journal=false',
    {},
    [
      'MONGODB_URL w: has no effect: the bridge uses majority',
      'MONGODB_URL journal: has no effect: the bridge uses that of w=majority',
    ],
  ],
  [
    '&readPreference=secondary&maxStalenessSeconds=120',
    {},
    [
      'MONGODB_URL readPreference: has no effect: the bridge uses primary',
      'MONGODB_URL maxStalenessSeconds: has no effect: the bridge uses readPreference=primary',
    ],
  ],
]

const options = suite("options of MongoDB's URL")

for (const [query, effect, warnings] of rows)
  options(`${query || 'none'}: what counts, and what is said`, () => {
    assert.equal(effectOf(query), { ...usual, ...effect })
    assert.equal(urlWarnings(`mongodb://m1,m2/prod?replicaSet=rs0${query}`), warnings)
  })

options('a URL without a path is told, since other programs take another database', () => {
  for (const url of ['mongodb://m1', 'mongodb://m1/', 'mongodb://m1/?w=majority', 'mongodb+srv://u:p@m1'])
    assert.match(urlWarnings(url).join(), 'without a path the bridge uses the database livechat')
  assert.equal(urlWarnings('mongodb+srv://u:p@m1/livechat'), [])
})

options.run()
