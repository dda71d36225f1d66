import { appendFileSync, existsSync, globSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { decodeJournaled } from '../../../../src/bridge/journal/record.ts'
import { frameSize, parseName, readSegmentHeader, scanFrames } from '../../../../src/bridge/journal/segment.ts'
import { findingsOf, unless } from '../findings.ts'
import { observedWorld } from '../observed-world.ts'
import { after } from '../progress.ts'
import type { Scenario } from '../scenario.ts'
import { streams } from '../streams.ts'
import { seqOf } from '../traffic.ts'

/** The event in a record of the journal, as the checker names it. */
const nameIn = (body: Buffer): string => {
  const record = decodeJournaled(body)
  if (E.isLeft(record)) throw new Error('the record to damage cannot be read')
  const { topic, key, value } = record.right
  return `${topic} ${key} #${seqOf(Buffer.from(value ?? ''))}`
}

/** Flips one bit in a record of the newest segment, and adds half a record at its end. Returns the damaged event. */
const damageSegment = (dir: string, choose: (records: number) => number): string => {
  const path = globSync(join(dir, '*.segment')).sort().at(-1) ?? ''
  const name = parseName(path.split('/').at(-1) ?? '')
  const bytes = readFileSync(path)
  if (name === undefined) throw new Error('no segment to damage')
  // If the process died before it acknowledged the last records, these would count as a torn tail.
  const { start: first, acknowledged } = readSegmentHeader(bytes)
  const { frames } = scanFrames(name.syncMarker, bytes.subarray(0, acknowledged), first)
  const chosen = choose(frames.length)
  const victim = frames[chosen]
  if (victim === undefined) throw new Error('no record to damage')
  const event = nameIn(victim.body)
  const start = frames.slice(0, chosen).reduce((sum, { body }) => sum + frameSize(body), first)
  const at = start + victim.bytes - Math.floor(victim.body.length / 2)
  bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at)
  writeFileSync(path, bytes)
  appendFileSync(path, bytes.subarray(first, first + 60))
  return event
}

/** Damages the journal while the bridge is down: one bit of a record, and a torn end. */
const damaged = (
  name: string,
  which: string,
  choose: (records: number) => number,
  control: Scenario['controls'][number],
  inShort: boolean,
): Scenario => ({
  name,
  promises: '5',
  fault: `bridge SIGKILL; a flipped bit in ${which} of the journal, and a torn tail`,
  controls: [control],
  inShort,
  shortControls: inShort ? [control] : [],
  run: async (cluster, size, without) => {
    const { broker } = cluster
    const here = await observedWorld(cluster, without)
    const place = await here.place(['ingress'])
    let bridge = await place.start()
    await here.ready(bridge)
    const posts = here.recorder([place])
    const dir = join(place.dataDir, 'journal', '1', 'chats')
    let event = ''
    broker.freeze()
    try {
      const load = posts.drive(streams({ workers: 16 }))
      await after(size === 'long' ? 5_000 : 500, posts, load)
      await bridge.kill('SIGKILL')
      posts.halt()
      event = damageSegment(dir, choose)
      bridge = await place.start()
      await load
    } finally {
      broker.thaw()
    }
    const drained = await here.drained(bridge)
    const log = bridge.log()
    await bridge.kill('SIGTERM')
    const verdict = await here.verdict(posts.history)
    await here.stop()
    const aside = existsSync(join(dir, 'damaged')) ? readdirSync(join(dir, 'damaged')).length : 0
    const told = log.split('\n').filter((line) => line.includes('the journal is damaged')).length
    const found = findingsOf(
      { ...verdict, lost: verdict.lost.filter((lost) => told === 0 || lost !== event) },
      {
        injected: 3,
        failures: [
          ...unless(told === 1, `${told} damaged places are reported, and not 1`),
          ...unless(log.includes('the end of the journal was torn'), 'the torn tail is not reported'),
          ...unless(aside === 2, `${aside} damaged places are set aside, and not 2`),
          ...unless(drained, 'the journal was not drained'),
        ],
        notes: [`${verdict.lost.length} event with the flipped bit, reported with its place and set aside`],
      },
    )
    return found
  },
})

export const damage = damaged(
  'damage',
  'a record',
  (records) => Math.floor(records / 2),
  'a checksum for each record of the journal',
  true,
)

export const newestDamage = damaged(
  'newest-damage',
  'the newest acknowledged record',
  (records) => records - 1,
  'the end of what was acknowledged',
  // test/bridge/journal/damage.test.ts flips the newest record too, and fails without this defence.
  false,
)
