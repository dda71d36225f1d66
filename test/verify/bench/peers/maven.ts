import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import * as E from 'fp-ts/lib/Either.js'
import { fetchOnce } from '../../../../src/tools/embedded/download.ts'
import { run } from '../../../../src/tools/embedded/run.ts'
import { right } from '../../../support/either.ts'

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))

const digestOf = async (files: ReadonlyArray<string>) => {
  const hash = createHash('sha256')
  for (const file of files) hash.update(await readFile(file))
  return hash.digest('hex').slice(0, 8)
}

const must = async (command: string, args: ReadonlyArray<string>) => {
  const outcome = await run(command, args)
  if (E.isLeft(outcome)) throw new Error(`${command} failed: ${outcome.left.output.slice(-2000)}`)
}

type Peer = { readonly name: 'camel' | 'connect'; readonly sources: ReadonlyArray<string> }

/** The class path of a peer in Java: its jars from Maven and its own classes, cached until its files change. */
export const javaPeer = async (cacheDir: string, { name, sources }: Peer, say: (line: string) => void) => {
  const pom = pathOf(`${name}/pom.xml`)
  const files = sources.map((source) => pathOf(`${name}/${source}`))
  const target = join(resolve(cacheDir), 'bench', `${name}-${await digestOf([pom, ...files])}`)
  const fetched = await fetchOnce({
    target,
    what: `${name}, a peer, with Maven`,
    say,
    fetch: async (directory) => {
      const goal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies'
      const into = `-DoutputDirectory=${join(directory, 'libs')}`
      await must('mvn', ['--batch-mode', '--quiet', `--file=${pom}`, '-DincludeScope=runtime', into, goal])
      if (files.length > 0)
        await must('javac', ['-cp', join(directory, 'libs', '*'), '-d', join(directory, 'classes'), ...files])
      return E.right(undefined)
    },
  })
  const directory = right(fetched)
  return `${join(directory, 'classes')}:${join(directory, 'libs', '*')}`
}
