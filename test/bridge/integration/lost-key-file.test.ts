import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { newKeyFile } from '../../../src/bridge/archive/key-file.ts'
import { archivingWorld } from '../../support/archiving-world.ts'
import { accepted, named, nameOf } from '../../support/drill-chats.ts'

const world = await archivingWorld()
const { db, archiveKeyFile, command, ran, start, startRefusing, publish, processed, emptied, erase, stop } = world

const failed = async (...args: ReadonlyArray<string>) => {
  const { code, out, err } = await command(...args)
  assert.is.not(code, 0, args.join(' '))
  return out + err
}
/** The chats are of the past. */
const keeping = { retentionDays: 10_000 }

const lacksSecond = 'ARCHIVE_KEY_FILE has no key second, which has wrapped data keys'

const drill = suite('the key file of the archive is lost, and the guide is followed')
drill.after(stop)

drill('with an older file nothing is archived or lost until the right one is back', async () => {
  const before = await start(keeping)
  await publish([1, 2].map(accepted))
  await processed()
  await erase(2)
  await processed()
  await before.stop()
  await emptied()
  const older = readFileSync(archiveKeyFile, 'utf8')
  const { keys } = JSON.parse(newKeyFile('second'))
  const both = JSON.stringify({ keys: [...keys, ...JSON.parse(older).keys] })
  writeFileSync(archiveKeyFile, both)
  await ran('archive', 'rewrap', '--retire', 'first')

  writeFileSync(archiveKeyFile, older)
  const { bridge } = await startRefusing(`refuses to read: ${lacksSecond}`, keeping)
  await publish([3].map(accepted))
  assert.match(await failed('archive', 'keys'), 'does not have the key second')
  assert.match(await failed('archive', 'keys', '--accept-loss'), 'does not have the key second')
  assert.match(await failed('rebuild', 'all'), lacksSecond)
  await ran('rebuild', '--discard')
  await bridge.stop()
  writeFileSync(archiveKeyFile, both)
  const after = await start(keeping)
  await processed()
  await ran('archive', 'keys')
  await ran('rebuild', 'all')
  assert.equal(await named(db), [1, 3].map(nameOf))
  await after.stop()
})

drill('without a copy of the file a new one goes on, and archives again what the topics have', async () => {
  rmSync(archiveKeyFile)
  assert.match(await failed('archive', 'keys'), 'cannot be read (ENOENT)')
  assert.match(await failed('check-config'), 'cannot be read (ENOENT)')
  writeFileSync(archiveKeyFile, newKeyFile('third'))
  const { bridge } = await startRefusing(`refuses to read: ${lacksSecond}`, keeping)
  await bridge.stop()

  const lost = await failed('archive', 'keys', '--lost-key', 'second')
  assert.match(lost, 'chats  acme/1  records: 1')
  assert.match(lost, 'Data keys that are lost: 1.')
  await ran('archive', 'keys', '--lost-key', 'second', '--accept-loss')
  const after = await start(keeping)
  await publish([4].map(accepted))
  await processed()
  assert.equal(await named(db), [1, 3, 4].map(nameOf), 'the views have it until a rebuild')
  await after.stop()
  await emptied()
  await ran('archive', 'keys')
  await ran('rebuild', 'all')
  assert.equal(await named(db), [3, 4].map(nameOf))
})

drill.run()
