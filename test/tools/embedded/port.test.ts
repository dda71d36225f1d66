import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { anyFree, choosePort } from '../../../src/tools/embedded/port.ts'
import { temporaryFolder } from '../../support/folder.ts'

const directory = temporaryFolder()
let files = 0
const file = () => join(directory, `${files++}.port`)

const occupied = async <A>(port: number, use: () => Promise<A>): Promise<A> => {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  try {
    return await use()
  } finally {
    server.close()
  }
}

/** The port that another process chooses, as another bridge would. */
const chosenByAnother = async (preferred: number, end = ''): Promise<number> => {
  const module = fileURLToPath(new URL('../../../src/tools/embedded/port.ts', import.meta.url))
  const script = `const { choosePort } = await import(${JSON.stringify(module)})
    const port = await choosePort(${JSON.stringify(file())}, { preferred: ${preferred} })
    process.stdout.write(String(port), () => { ${end} })`
  const child = promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script])
  const { stdout } = await child.catch((error: { stdout: string }) => error)
  return Number(stdout)
}

const port = suite('port of an embedded server')

port('the preferred port is used if it is free', async () => {
  const preferred = await anyFree()
  assert.is(await choosePort(file(), { preferred }), preferred)
})

port('if the preferred port is in use, another one is chosen and remembered', async () => {
  const [preferred, remembering] = [await anyFree(), file()]
  const [first, second] = await occupied(preferred, async () => [
    await choosePort(remembering, { preferred }),
    await choosePort(remembering, { preferred }),
  ])
  assert.is.not(first, preferred)
  assert.is(second, first)
  assert.is(await choosePort(remembering, { preferred }), preferred)
})

port('two bridges that start at the same moment choose different ports', async () => {
  const preferred = await anyFree()
  assert.is(await choosePort(file(), { preferred }), preferred)
  assert.is.not(await chosenByAnother(preferred), preferred)
})

port('the claim of a process that was killed does not count', async () => {
  const preferred = await anyFree()
  assert.is(await chosenByAnother(preferred, "process.kill(process.pid, 'SIGKILL')"), preferred)
  assert.is(await choosePort(file(), { preferred }), preferred)
})

port.run()
