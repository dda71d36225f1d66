import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { encodeFrame, scanFrames } from '../../../src/bridge/journal/segment.ts'

const syncMarker = Buffer.from('a1b2c3d4', 'hex')
const framed = (given: ReadonlyArray<Buffer>) =>
  given.map((body, i) => encodeFrame(syncMarker, { position: i + 1, appendedAt: 1_000 + i, body }))
const readable = (content: Buffer) =>
  scanFrames(syncMarker, content).frames.map(({ position, body }) => ({ position, body }))

const scanning = suite('journal: reading frames')

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
