import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { suite } from 'uvu'
import * as assert from 'uvu/assert'
import { temporaryFolder } from '../../support/folder.ts'
import { drainAll, idOf, openAt } from './given.ts'

const program = fileURLToPath(new URL('kill-writer.ts', import.meta.url))

/** Lets a process write until it has printed this many records, then kills it. It prints acknowledged records only. */
const writeAndKill = async (dir: string, from: number, enough: number): Promise<ReadonlyArray<number>> => {
  const child = spawn(process.execPath, [program, dir, String(from)], { stdio: ['ignore', 'pipe', 'inherit'] })
  let told = ''
  child.stdout.on('data', (data: Buffer) => {
    told += data.toString()
    if (told.split('\n').length > enough) child.kill('SIGKILL')
  })
  await once(child, 'close')
  return told.split('\n').slice(0, -1).map(Number)
}

const kill = suite('journal: SIGKILL')

kill(
  'everything that was acknowledged is there after a SIGKILL, in order per writer, and the lock is free',
  async () => {
    const dir = temporaryFolder()
    const first = await writeAndKill(dir, 1, 300)
    const second = await writeAndKill(dir, 1_000_001, 300)

    const journal = await openAt(dir)
    const ids = (await drainAll(journal)).map(idOf)
    await journal.close()

    const found = new Set(ids)
    assert.equal(
      [...first, ...second].filter((id) => !found.has(id)),
      [],
    )
    assert.ok(first.length >= 300 && second.length >= 300)
    for (const writer of Map.groupBy(ids, (id) => id % 8).values())
      assert.equal(
        writer,
        writer.toSorted((a, b) => a - b),
      )
  },
)

kill.run()
