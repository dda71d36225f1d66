import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { getPriority } from 'node:os'
import { join } from 'node:path'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { startProcess } from '../../../src/tools/embedded/process.ts'
import { eventually } from '../../support/eventually.ts'
import { temporaryFolder } from '../../support/folder.ts'
import { processesOf } from './support.ts'

const processes = suite('server processes')

/** A server that creates the file `up` when it runs, and the file `ended` when it receives SIGTERM. */
const obedient = 'trap "echo > ended; exit 0" TERM; echo > up; while :; do sleep 0.05; done'
const stubborn = 'trap "" TERM; echo > up; while :; do sleep 0.05; done'

const start = async (script: string) => {
  const cwd = temporaryFolder()
  const server = startProcess({ command: 'sh', args: ['-c', script], cwd, logFile: join(cwd, 'log') })
  await eventually('the process to be up', async () => existsSync(join(cwd, 'up')))
  return { cwd, server }
}

processes('a server is asked to end, and leaves no process behind', async () => {
  const { cwd, server } = await start(obedient)

  await server.stop(5_000)

  assert.ok(existsSync(join(cwd, 'ended')))
  await eventually('its group to have ended', async () => (await processesOf(server.pid)).length === 0)
})

processes('a server that does not listen is killed', async () => {
  const { server } = await start(stubborn)

  await server.stop(200)

  await eventually('its group to have ended', async () => (await processesOf(server.pid)).length === 0)
})

processes('a server does not see the Ctrl-C of the terminal', async () => {
  const { server } = await start(obedient)
  const [, , ours] = (await readFile('/proc/self/stat', 'utf8')).split(') ')[1]?.split(' ') ?? []

  assert.not.equal(server.pid, Number(ours))
  assert.ok((await processesOf(server.pid)).includes(server.pid))
  await server.stop(5_000)
})

processes('a server that lets others go first does so in its session too', async () => {
  const cwd = temporaryFolder()
  const script = 'nice; cat /proc/self/autogroup'
  const server = startProcess({ command: 'sh', args: ['-c', script], cwd, logFile: join(cwd, 'log'), nice: 7 })

  await eventually('the server to have ended', async () => server.hasEnded())

  const [nice, session] = (await readFile(join(cwd, 'log'), 'utf8')).trim().split('\n')
  assert.is(Number(nice), Math.min(19, getPriority() + 7))
  // A kernel without groups of sessions has no such file.
  if (existsSync('/proc/self/autogroup')) assert.match(session ?? '', / nice 7$/)
})

processes('a server ends when its bridge is killed', async () => {
  const cwd = temporaryFolder()
  const source = JSON.stringify({ command: 'sh', args: ['-c', obedient], cwd, logFile: join(cwd, 'log') })
  const module = new URL('../../../src/tools/embedded/process.ts', import.meta.url).href
  const script = `import { startProcess } from '${module}'; process.stdout.write(String(startProcess(${source}).pid)); setInterval(() => {}, 1000)`
  const bridge = spawn(process.execPath, ['--input-type=module-typescript', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const [printed] = await once(bridge.stdout, 'data')
  await eventually('the process to be up', async () => existsSync(join(cwd, 'up')))

  bridge.kill('SIGKILL')

  await eventually('the group to have ended', async () => (await processesOf(Number(printed))).length === 0)
  assert.ok(existsSync(join(cwd, 'ended')))
})

processes.run()
