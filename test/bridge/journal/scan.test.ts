import fc from 'fast-check'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeFrame, scanFrames } from '../../../src/bridge/journal/segment.ts'

const syncMarker = Buffer.from('a1b2c3d4', 'hex')
const bodies = fc.array(
  fc.uint8Array({ maxLength: 50 }).map((array) => Buffer.from(array)),
  { minLength: 1, maxLength: 8 },
)
const framed = (given: ReadonlyArray<Buffer>) =>
  given.map((body, i) => encodeFrame(syncMarker, { position: i + 1, appendedAt: 1_000 + i, body }))
const readable = (content: Buffer) =>
  scanFrames(syncMarker, content).frames.map(({ position, body }) => ({ position, body }))
const numbered = (given: ReadonlyArray<Buffer>) => given.map((body, i) => ({ position: i + 1, body }))

const scanning = suite('journal: reading frames')

scanning('frames are read unchanged', () => {
  fc.assert(
    fc.property(bodies, (given) => {
      const content = Buffer.concat(framed(given))
      assert.equal(scanFrames(syncMarker, content).damaged, [])
      assert.equal(readable(content), numbered(given))
    }),
  )
})

scanning('a segment that is torn anywhere keeps its complete frames, and the rest is reported', () => {
  fc.assert(
    fc.property(bodies, fc.nat(), (given, at) => {
      const frames = framed(given)
      const content = Buffer.concat(frames)
      const cut = at % content.length
      const ends = frames.map((_, i) => Buffer.concat(frames.slice(0, i + 1)).length)
      const whole = ends.filter((end) => end <= cut)
      const offset = whole.at(-1) ?? 0

      const { damaged } = scanFrames(syncMarker, content.subarray(0, cut))

      assert.equal(readable(content.subarray(0, cut)), numbered(given).slice(0, whole.length))
      assert.equal(
        damaged.map(({ offset, bytes }) => ({ offset, bytes })),
        cut > offset ? [{ offset, bytes: cut - offset }] : [],
      )
    }),
  )
})

scanning('a byte that is flipped anywhere loses only its own frame', () => {
  fc.assert(
    fc.property(bodies, fc.nat(), fc.integer({ min: 1, max: 255 }), (given, at, flip) => {
      const frames = framed(given)
      const content = Buffer.concat(frames)
      const place = at % content.length
      content.writeUInt8(content.readUInt8(place) ^ flip, place)
      const offsets = frames.map((_, i) => Buffer.concat(frames.slice(0, i)).length)
      const hit = offsets.findLastIndex((offset) => offset <= place)

      const { damaged } = scanFrames(syncMarker, content)

      assert.equal(readable(content), numbered(given).toSpliced(hit, 1))
      assert.equal(
        damaged.map(({ offset, bytes }) => ({ offset, bytes })),
        [{ offset: offsets[hit], bytes: frames[hit]?.length }],
      )
    }),
  )
})

scanning('a frame inside a damaged record is not read as a record', () => {
  const forged = encodeFrame(Buffer.from('00000000', 'hex'), {
    position: 9,
    appendedAt: 1,
    body: Buffer.from('forged'),
  })
  const content = Buffer.concat(framed([forged, Buffer.from('next')]))
  content.writeUInt8(0, 0)
  assert.equal(readable(content), [{ position: 2, body: Buffer.from('next') }])
})

scanning.run()
