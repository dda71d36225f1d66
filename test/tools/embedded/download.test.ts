import { existsSync } from 'node:fs'
import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { fetchOnce } from '../../../src/tools/embedded/download.ts'
import { mismatches } from '../../../src/tools/embedded/pins.ts'
import { problem } from '../../../src/tools/embedded/problem.ts'
import { temporaryFolder } from '../../support/folder.ts'

const download = suite('downloads')

const fill = async (directory: string) => {
  await writeFile(join(directory, 'file'), 'content')
  return E.right(undefined)
}

download('a download that failed half way leaves nothing that looks complete', async () => {
  const cache = temporaryFolder()
  const target = join(cache, 'thing')
  const fetch = async (directory: string) => {
    await fill(directory)
    return problem('the network went away')
  }

  const outcome = await fetchOnce({ target, what: 'a thing', say: () => {}, fetch })

  assert.equal(outcome, E.left({ message: 'the network went away' }))
  assert.equal(await readdir(cache), [])
})

download('a fetched file is not fetched again', async () => {
  const target = join(temporaryFolder(), 'thing')
  const heard: string[] = []
  const say = (line: string) => heard.push(line.replace(/[\d.]+ s$/, 'N s'))

  const first = await fetchOnce({ target, what: 'a thing', say, fetch: fill })
  const second = await fetchOnce({ target, what: 'a thing', say, fetch: async () => problem('fetched again') })

  assert.equal([first, second], [E.right(target), E.right(target)])
  assert.equal(heard, ['fetching a thing …', 'fetched a thing in N s'])
})

download('two processes that fetch at once both have the whole download', async () => {
  const target = join(temporaryFolder(), 'thing')
  const fetch = () => fetchOnce({ target, what: 'a thing', say: () => {}, fetch: fill })

  assert.equal(await Promise.all([fetch(), fetch()]), [E.right(target), E.right(target)])
  assert.ok(existsSync(join(target, 'file')))
})

download('a changed, missing or unexpected file is named', async () => {
  const directory = temporaryFolder()
  const empty = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'
  await writeFile(join(directory, 'right.jar'), '')
  await writeFile(join(directory, 'changed.jar'), 'another byte')
  await writeFile(join(directory, 'stranger.jar'), '')
  const sums = ['right.jar', 'changed.jar', 'missing.jar'].map((name) => `${empty}  ${name}\n`).join('')

  assert.equal(await mismatches(directory, sums), ['changed.jar', 'missing.jar', 'stranger.jar'])
})

download.run()
