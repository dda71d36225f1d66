import { randomInt } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'

// Below the ports that systems lend to outgoing connections, so that a remembered one is seldom taken.
const lowest = 20_000
const highest = 32_000

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer()
      .on('error', () => resolve(false))
      .on('listening', () => server.close(() => resolve(true)))
    server.listen(port, '127.0.0.1')
  })

/** A port of 127.0.0.1 that nobody uses now, and that is seldom taken by the time it is. */
export const anyFree = async (except = 0): Promise<number> => {
  const port = randomInt(lowest, highest)
  return port !== except && (await isFree(port)) ? port : anyFree(except)
}

/** The port of 127.0.0.1 that `file` remembers, or a free one, then remembered, when it is new or taken by another. */
export const rememberedPort = async (file: string, except = 0): Promise<number> => {
  const known = Number(await readFile(file, 'utf8').catch(() => ''))
  if (known >= lowest && known < highest && (await isFree(known))) return known
  const port = await anyFree(except)
  await writeFile(file, `${port}\n`)
  return port
}
