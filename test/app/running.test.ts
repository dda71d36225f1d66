import { readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { findRunning, forgetRunning, recordRunning } from '../../src/app/running.ts'
import { left, right } from '../support/either.ts'
import { temporaryFolder } from '../support/folder.ts'

const running = suite('the record of a running bridge')

const here = { pid: process.pid, url: 'http://127.0.0.1:1', adminUrl: 'http://127.0.0.1:2' }

running('processes with the same DATA_DIR record themselves at the same moment, and one of them is found', async () => {
  const dataDir = temporaryFolder()
  const all = Array.from({ length: 50 }, (_, i) => ({ ...here, url: `http://127.0.0.1:${i}` }))
  for (const recorded of await Promise.all(all.map((each) => recordRunning(dataDir, each)))) right(recorded)
  assert.ok(all.some(({ url }) => url === findRunning(dataDir)?.url))
  assert.equal(readdirSync(dataDir), ['running.json'])
})

running('a process removes its own record, not that of another one', async () => {
  const dataDir = temporaryFolder()
  right(await recordRunning(dataDir, { ...here, pid: process.ppid }))
  forgetRunning(dataDir)
  assert.is(findRunning(dataDir)?.pid, process.ppid)
  right(await recordRunning(dataDir, here))
  forgetRunning(dataDir)
  assert.is(findRunning(dataDir), undefined)
  forgetRunning(dataDir)
})

running('a record that cannot be written is a failure that says why', async () => {
  const file = join(temporaryFolder(), 'file')
  writeFileSync(file, '')
  assert.match(left(await recordRunning(file, here)).reason, /cannot be recorded in DATA_DIR: ENOTDIR/)
})

running.run()
