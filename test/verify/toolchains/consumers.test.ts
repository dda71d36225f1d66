// A downstream team reads the topics in Go or Java, with CloudEvents' SDK and types generated of the published files.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { DomainEvent } from '../../../contracts/events/index.ts'
import { runCommand } from '../../support/command.ts'
import { eventually } from '../../support/eventually.ts'
import { plainClient } from '../../support/plain-consumer.ts'
import { world } from '../../support/world.ts'
import { compiledConsumers } from './example-consumers.ts'

const consumers = suite('consumers of downstream teams')

const here = await world()
const topic = `${here.prefix}samples`
const types = DomainEvent.types.map(({ name }) => name.toLowerCase()).sort()

/**
 * One record of each type by the command; then one of a later version, one that breaks its contract, one without JSON.
 */
const written = (async () => {
  const { code, err } = await runCommand(['sample', topic], here.env)
  assert.is(code, 0, err)
  const headers = {
    ce_specversion: '1.0',
    ce_id: 'unlike',
    ce_source: '/accounts/acme/webhooks',
    ce_type: 'livechat.ChatAccepted.v1',
    ce_subject: '1',
    ce_time: '2026-01-31T10:00:00.000Z',
    'content-type': 'application/json',
  }
  const producer = plainClient(here.brokers).producer()
  await producer.connect()
  const messages = [
    { key: 'acme/1', headers: { ...headers, ce_type: 'livechat.ChatAccepted.v2' }, value: '{}' },
    { key: 'acme/1', headers, value: '{"accountId":"acme"}' },
    { key: 'acme/1', headers, value: 'no JSON' },
  ]
  await producer.send({ topic, messages })
  await producer.disconnect()
})()

for (const { language, tool, make } of compiledConsumers) {
  const test = tool === undefined ? consumers : consumers.skip
  // Both are compiled at once.
  const making = tool === undefined ? make() : undefined
  making?.catch(() => undefined)
  test(`${language}: every type of event is read, and what breaks its contract is refused`, async () => {
    const { command = '', args = [], cwd } = (await making) ?? {}
    await written
    const env = {
      ...process.env,
      KAFKA_BROKERS: here.brokers.join(','),
      TOPICS: topic,
      GROUP: `${here.prefix}${language}`,
    }
    const child = spawn(command, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    const text = { out: '', err: '' }
    child.stdout.on('data', (chunk: Buffer) => (text.out += chunk))
    child.stderr.on('data', (chunk: Buffer) => (text.err += chunk))
    const lines = (from: string, start: RegExp) =>
      stripVTControlCharacters(from)
        .split('\n')
        .filter((line) => start.test(line))
    const skipped = () => lines(text.err, /^skipped /)
    const read = () =>
      lines(text.out, /^\d{4}-/)
        .map(
          (line) =>
            /\w+/
              .exec(line.split(' ')[1] ?? '')?.[0]
              .toLowerCase()
              .replace(/v1$/, '') ?? line,
        )
        .sort()
    try {
      await eventually('every record', () => read().length + skipped().length >= types.length + 3 || undefined, 60_000)
    } catch (error) {
      throw new Error(`${String(error)}\n${text.out}\n${text.err}`)
    } finally {
      child.kill('SIGINT')
      await once(child, 'close')
    }
    assert.equal(read(), types, text.err)
    assert.is(skipped().length, 3, text.err)
  })
}

consumers.after(here.stop)
consumers.run()
