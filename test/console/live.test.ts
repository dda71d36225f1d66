import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import type { AnySource } from '../../src/bridge/mongo/source.ts'
import { sleep } from '../../src/bridge/shared/time.ts'
import { type ConsoleRequest, unavailable } from '../../src/console/page.ts'
import { live as page } from '../../src/console/pages/conversations/live.ts'
import { right } from '../support/either.ts'
import { eventually } from '../support/eventually.ts'

/** A database with a count for each chat, read without pauses. Sleeps of 15 s or more end when `beat` is called. */
const given = () => {
  const versions = new Map<string, number>()
  const asked: Array<ReadonlyArray<string>> = []
  let beat = new AbortController()
  let isAway = false
  const read = async (source: AnySource) => {
    if (source.view !== 'chats' || !('stages' in source)) return isAway ? E.left(unavailable('away')) : E.right([])
    const [{ $match }] = source.stages as unknown as [{ readonly $match: { readonly _id: { readonly $in: string[] } } }]
    const names = $match._id.$in
    asked.push(names)
    if (isAway) return E.left(unavailable('away'))
    return E.right(
      names.map((name) => {
        const [accountId = '', chatId = ''] = name.split('/')
        return { _id: { accountId, chatId }, count: versions.get(name) ?? 0 }
      }),
    )
  }
  const quick = (ms: number, signal?: AbortSignal) =>
    ms >= 15_000 ? sleep(60_000, AbortSignal.any([beat.signal, ...(signal ? [signal] : [])])) : sleep(1)
  const handler = page.handlers({ read: read as never, sleep: quick })[
    'GET /api/accounts/:account/conversations/:chat/live'
  ]
  const open = async (chatId: string) => {
    const gone = new AbortController()
    const request = { accountId: 'acme', chatId, signal: gone.signal } as unknown as ConsoleRequest
    const answer = right(await handler(request))
    const told = answer.stream[Symbol.asyncIterator]()
    return { gone, type: answer.type, next: async () => (await told.next()).value as string | undefined }
  }
  return {
    versions,
    asked,
    open,
    beat: () => {
      beat.abort()
      beat = new AbortController()
    },
    setAway: (away: boolean) => {
      isAway = away
    },
  }
}

const live = suite('live updates')

live('a stream sends the current version, then each new one, and ends with its request', async () => {
  const { versions, open } = given()
  versions.set('acme/1', 1)
  const stream = await open('1')
  assert.is(stream.type, 'text/event-stream')
  assert.is(await stream.next(), 'retry: 2000\n\n')
  const first = await stream.next()
  assert.match(first ?? '', /^data: \{"version":"[\w-]{16}"\}\n\n$/)
  versions.set('acme/1', 2)
  const second = await stream.next()
  assert.match(second ?? '', /^data: \{"version":"[\w-]{16}"\}\n\n$/)
  assert.is.not(second, first)
  stream.gone.abort()
  assert.is(await stream.next(), undefined)
})

live('all watched chats are queried together, each once; without watchers there is no query', async () => {
  const { asked, open } = given()
  const streams = [await open('1'), await open('1'), await open('2')]
  for (const stream of streams) {
    await stream.next()
    await stream.next()
  }
  await eventually('a question about both', () => asked.at(-1)?.length === 2)
  assert.equal(asked.at(-1), ['acme/1', 'acme/2'])
  for (const { gone, next } of streams) {
    gone.abort()
    assert.is(await next(), undefined)
  }
  await sleep(20)
  const before = asked.length
  await sleep(50)
  assert.is(asked.length, before)
})

live('while MongoDB is unavailable a stream sends only keep-alives, and afterwards the changes', async () => {
  const { versions, open, setAway, beat, asked } = given()
  versions.set('acme/1', 1)
  const stream = await open('1')
  await stream.next()
  const first = await stream.next()
  setAway(true)
  versions.set('acme/1', 2)
  const next = stream.next()
  const before = asked.length
  await eventually('a question in vain', () => asked.length > before + 2)
  beat()
  assert.is(await next, ': still there\n\n')
  setAway(false)
  const second = await stream.next()
  assert.match(second ?? '', /^data: /)
  assert.is.not(second, first)
  stream.gone.abort()
  assert.is(await stream.next(), undefined)
})

live.run()
