import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { temporaryFolder } from '../../../support/folder.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))
const installed = join(root, 'node_modules')

const build = () => {
  const sources = join(temporaryFolder(), 'sources')
  const files = ['package.json', 'package-lock.json', 'tsconfig.json', 'README.md', 'LICENSE']
  for (const name of [...files, 'contracts', 'docker', 'src'])
    cpSync(join(root, name), join(sources, name), { recursive: true })
  symlinkSync(installed, join(sources, 'node_modules'))
  // Otherwise the packages seem to be older than the lock file, and are installed again.
  utimesSync(join(sources, 'package-lock.json'), 0, 0)
  const script = join(sources, 'src/tools/release/release.ts')
  const said = execFileSync(process.execPath, [script, '--draft'], { encoding: 'utf8' })
  const { version } = JSON.parse(readFileSync(join(sources, 'package.json'), 'utf8'))
  return { sources, said, version, folder: join(sources, '.data/release', version) }
}

let built: ReturnType<typeof build> | undefined
/** A release, built once from a copy of the sources, because other tests read the original. */
export const release = () => {
  built ??= build()
  return built
}

export type Tarball = 'livechat-bridge' | 'livechat-bridge-contracts'
const ofRelease = (name: Tarball): string => join(release().folder, `${name}-${release().version}.tgz`)

/** The package of the contracts alone, which takes less time than a release. */
export const packedContracts = (): string => {
  const dir = temporaryFolder()
  const script = join(root, 'src/tools/release/pack.ts')
  execFileSync(process.execPath, [script, 'contracts'], { cwd: dir, stdio: 'ignore' })
  return join(dir, readdirSync(dir).find((file) => file.endsWith('.tgz')) ?? '')
}

/** Links packages as npm does: those that the package needs, and none that only the sources need. */
const link = (names: ReadonlyArray<string>, project: string) => {
  for (const name of names) {
    const place = join(project, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(installed, name), place)
  }
}

/** The package, unpacked in an otherwise empty project with the packages that it depends on. This needs no network. */
export const emptyProject = (name: Tarball, tarball = ofRelease(name)) => {
  const project = temporaryFolder()
  const place = join(project, 'node_modules', name)
  for (const each of [place, join(project, 'node_modules', '.bin')]) mkdirSync(each, { recursive: true })
  execFileSync('tar', ['xzf', tarball, '--strip-components=1', '-C', place])
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  // A TypeScript project on Node also has the types of Node.
  link([...Object.keys(manifest.dependencies), '@types/node'], project)
  for (const [command, path] of Object.entries<string>(manifest.bin ?? {}))
    symlinkSync(join('..', name, path), join(project, 'node_modules/.bin', command))
  symlinkSync('../node/bin/node', join(project, 'node_modules/.bin/node'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  return {
    manifest,
    /** Where the package is installed. */
    place,
    write: (file: string, text: string) => writeFileSync(join(project, file), text),
    run: (command: string, ...args: ReadonlyArray<string>): string =>
      execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
    /** Runs a command until `end` is called. Its output goes to stderr. */
    start: (command: string, args: ReadonlyArray<string>, env: NodeJS.ProcessEnv) => {
      const child = spawn(command, args, {
        cwd: project,
        env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
        stdio: ['ignore', 2, 2],
      })
      const ended = once(child, 'close').then(([code]): number | null => code)
      return {
        end: () => {
          child.kill('SIGTERM')
          return ended
        },
      }
    },
  }
}

/** The links in a package's texts that lead to no file of the package. */
export const brokenLinks = (place: string): ReadonlyArray<string> =>
  globSync('**/*.md', { cwd: place }).flatMap((name) =>
    [...readFileSync(join(place, name), 'utf8').matchAll(/\]\(([^)#\s]+)[^)]*\)/g)]
      .map(([, to = '']) => to)
      .filter((to) => !/^https?:/.test(to) && !existsSync(join(place, dirname(name), to)))
      .map((to) => `${name}: ${to}`),
  )

/** The program in a package's README. */
export const programOfReadme = (place: string): string =>
  /^```ts\n(.*?)^```$/ms.exec(readFileSync(join(place, 'README.md'), 'utf8'))?.[1] ?? ''
