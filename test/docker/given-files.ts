import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { parse } from 'yaml'
import type { ReadFile } from '../../src/app/config.ts'
import { temporaryFolder } from '../support/folder.ts'
import { root } from '../support/outcome.ts'

export const text = (file: string): string => readFileSync(join(root, file), 'utf8')

// biome-ignore lint/suspicious/noExplicitAny: the tests check the shape of a document themselves.
export type Yaml = any

/** A compose file with its anchors resolved. Each variable has its default, as if none were set. */
export const composeFile = (name: string): Yaml =>
  parse(
    text(`docker/${name}`),
    (_, value) =>
      typeof value === 'string' ? value.replaceAll(/\$\{\w+:-([^}]*)\}/g, (_all, usual: string) => usual) : value,
    { merge: true },
  )

/** The files that docker/make-secrets creates, as containers see them below /run/secrets, in any folder there. */
export const madeSecrets = (): { readonly names: ReadonlyArray<string>; readonly readFile: ReadFile; said: string } => {
  const folder = temporaryFolder()
  const said = execFileSync(join(root, 'docker/make-secrets'), [folder], { encoding: 'utf8' })
  const names = globSync('*', { cwd: folder }).sort()
  return {
    said,
    names,
    readFile: (path) => {
      const name = names.find((each) => each.replace('.json', '') === basename(path))
      return path.startsWith('/run/secrets/') && name !== undefined
        ? E.right(readFileSync(join(folder, name), 'utf8').trimEnd())
        : E.left('no such secret')
    },
  }
}
