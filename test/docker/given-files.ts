import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import * as E from 'fp-ts/lib/Either.js'
import { parse, parseAllDocuments } from 'yaml'
import type { ReadFile } from '../../src/app/config.ts'
import { temporaryFolder } from '../support/folder.ts'
import { root } from '../support/outcome.ts'

export const text = (file: string): string => readFileSync(join(root, file), 'utf8')

// biome-ignore lint/suspicious/noExplicitAny: what is asked of a document is what the test is about.
export type Yaml = any

/** A compose file with its anchors resolved and no variable set: each has what is given for that case. */
export const composeFile = (name: string): Yaml =>
  parse(
    text(`docker/${name}`),
    (_, value) =>
      typeof value === 'string' ? value.replaceAll(/\$\{\w+:-([^}]*)\}/g, (_all, usual: string) => usual) : value,
    { merge: true },
  )

/** The documents of docker/kubernetes by file, without those that no API server reads. */
export const manifests: ReadonlyArray<{ readonly file: string; readonly manifest: Yaml }> = globSync(
  join(root, 'docker/kubernetes/{config,ingress,projector,egress,archiver,console}.yaml'),
).flatMap((path) =>
  parseAllDocuments(readFileSync(path, 'utf8')).map((document) => ({
    file: basename(path),
    manifest: document.toJS(),
  })),
)

/** What docker/make-secrets makes, as containers see it at /run/secrets, whatever folder they have it in there. */
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
