import { readdirSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { madeOnce } from '../../../src/bridge/shared/private-files.ts'
import { temporaryFolder } from '../../support/folder.ts'

const once = suite('files that are made once')

const file = new URL('../../../src/bridge/shared/private-files.ts', import.meta.url)
const code = `
const { parentPort, workerData: { file, path, text } } = require('node:worker_threads')
import(file).then(({ madeOnce }) => {
  parentPort.once('message', () => parentPort.postMessage(madeOnce(path, () => text.repeat(200_000))))
  parentPort.postMessage('here')
})`

once('the first content stays, and only this user can read it', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'below', 'key')
  assert.is(
    madeOnce(path, () => 'first'),
    'first',
  )
  assert.is(
    madeOnce(path, () => 'second'),
    'first',
  )
  assert.is(statSync(path).mode & 0o777, 0o600)
})

const refusing = (code: string) => () => {
  throw Object.assign(new Error(code), { code })
}

once('a file system without links has it too, and nothing else', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'key')
  assert.is(
    madeOnce(path, () => 'first', refusing('EPERM')),
    'first',
  )
  assert.is(statSync(path).mode & 0o777, 0o600)
  assert.equal(readdirSync(folder), ['key'])
})

once('what cannot be written leaves nothing behind', () => {
  const folder = temporaryFolder()
  // The file is open by then.
  const unwritable = 1 as unknown as string
  assert.throws(() => madeOnce(join(folder, 'key'), () => unwritable))
  assert.equal(readdirSync(folder), [])
})

once('a name that can be given in no way is an error', () => {
  const folder = temporaryFolder()
  const path = join(folder, 'below', 'key')
  const withoutFolder = () => {
    rmSync(join(folder, 'below'), { recursive: true })
    throw new Error('no links')
  }
  assert.throws(() => madeOnce(path, () => 'first', withoutFolder), /ENOENT.*copyfile/)
})

once('of many that begin at the same moment, all read what one of them wrote', async () => {
  const folder = temporaryFolder()
  for (let round = 0; round < 5; round++) {
    const path = join(folder, String(round), 'key')
    const workers = [...'abcdef'].map(
      (text) => new Worker(code, { eval: true, workerData: { file: file.href, path, text } }),
    )
    const heard = (worker: Worker) =>
      new Promise<string>((resolve, reject) => worker.once('message', resolve).once('error', reject))
    await Promise.all(workers.map(heard))
    const contents = workers.map(heard)
    for (const worker of workers) worker.postMessage('go')
    const [first, ...others] = await Promise.all(contents)
    assert.is(first?.length, 200_000)
    assert.ok(others.every((content) => content === first))
    assert.equal(readdirSync(join(folder, String(round))), ['key'])
  }
})

once.run()
