// Preloaded into a bridge: counts the requests to Kafka by name, and writes them down on SIGUSR1.
import { renameSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'

type Send = (this: unknown, given: { readonly request: { readonly apiName: string } }) => unknown

const { prototype }: { readonly prototype: { send: Send } } = createRequire(import.meta.url)(
  'kafkajs/src/network/connection.js',
)
const { send } = prototype
const counts: Record<string, number> = {}
prototype.send = function (given) {
  const { apiName } = given.request
  counts[apiName] = (counts[apiName] ?? 0) + 1
  return send.call(this, given)
}

const dir = process.env.COUNT_REQUESTS
if (dir !== undefined)
  process.on('SIGUSR1', () => {
    const file = join(dir, `requests-${process.pid}.json`)
    writeFileSync(`${file}.new`, JSON.stringify(counts))
    renameSync(`${file}.new`, file)
  })
