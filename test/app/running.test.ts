import { mkdirSync, readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findRunning, forgetRunning, recordRunning } from '../../src/app/running.ts'
import { left, right } from '../support/either.ts'
import { temporaryFolder } from '../support/folder.ts'

const running = suite('the record of a running bridge')

const here = { pid: process.pid, roles: ['ingress'], url: 'http://127.0.0.1:1', adminUrl: 'http://127.0.0.1:2' }
/** No process has this id. */
const nobody = 2 ** 30

running('is complete whenever it is found, also if it is made several times at the same moment', async () => {
  const dataDir = temporaryFolder()
  const all = Array.from({ length: 50 }, (_, i) => ({ ...here, url: `http://127.0.0.1:${i}` }))
  for (const recorded of await Promise.all(all.map((each) => recordRunning(dataDir, each)))) right(recorded)
  assert.ok(all.some(({ url }) => url === findRunning(dataDir)?.url))
  assert.equal(readdirSync(join(dataDir, 'running')), [`${process.pid}.json`])
})

running('is found among others by what is wanted of it, while its process lives', async () => {
  const dataDir = temporaryFolder()
  const other = { ...here, pid: process.ppid, roles: ['console'] }
  for (const each of [here, other, { ...here, pid: nobody, roles: ['archiver'] }])
    right(await recordRunning(dataDir, each))
  const withRole = (role: string) => findRunning(dataDir, ({ roles }) => roles.includes(role))
  assert.equal(['ingress', 'console', 'archiver'].map(withRole), [here, other, undefined])
  forgetRunning(dataDir)
  assert.equal(findRunning(dataDir), other)
  assert.is(withRole('ingress'), undefined)
})

running('is found before an older one whose process may be another program by now', async () => {
  const dataDir = temporaryFolder()
  const older = { ...here, pid: process.ppid, adminUrl: 'http://127.0.0.1:3' }
  for (const [each, at] of [
    [here, 2],
    [older, 1],
  ] as const) {
    right(await recordRunning(dataDir, each))
    utimesSync(join(dataDir, 'running', `${each.pid}.json`), at, at)
  }
  assert.equal(findRunning(dataDir), here)
  utimesSync(join(dataDir, 'running', `${older.pid}.json`), 3, 3)
  assert.equal(findRunning(dataDir), older)
})

running('that cannot be removed does not prevent the end of its process', async () => {
  const dataDir = temporaryFolder()
  mkdirSync(join(dataDir, 'running', `${process.pid}.json`), { recursive: true })
  forgetRunning(dataDir)
})

running('of a process that was killed is removed by the next one that starts', async () => {
  const dataDir = temporaryFolder()
  right(await recordRunning(dataDir, { ...here, pid: nobody }))
  right(await recordRunning(dataDir, here))
  assert.equal(readdirSync(join(dataDir, 'running')), [`${process.pid}.json`])
})

running('that cannot be read, or is not there, is not found', async () => {
  const dataDir = temporaryFolder()
  assert.is(findRunning(dataDir), undefined)
  right(await recordRunning(dataDir, here))
  writeFileSync(join(dataDir, 'running', `${process.pid}.json`), '{')
  assert.is(findRunning(dataDir), undefined)
  forgetRunning(dataDir)
  forgetRunning(dataDir)
})

running('that cannot be written is a failure that says why', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  assert.match(left(await recordRunning(file, here)).reason, /cannot be recorded in DATA_DIR: ENOTDIR/)
})

running.run()
