import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('../..', import.meta.url))
const installed = join(root, 'node_modules')

/** A copy of the sources, so that the tree that others read meanwhile stays as it is. Without the lock file nothing is installed. */
const copyOfSources = (to: string) => {
  const sources = ['package.json', 'tsconfig.json', 'README.md', 'LICENSE']
  for (const name of [...sources, 'contracts', 'docker', 'src'])
    cpSync(join(root, name), join(to, name), { recursive: true })
  symlinkSync(installed, join(to, 'node_modules'))
  return to
}

/** npm's links: what the package needs, and nothing that only the sources need. */
const link = (names: ReadonlyArray<string>, project: string) => {
  for (const name of names) {
    const place = join(project, 'node_modules', name)
    mkdirSync(dirname(place), { recursive: true })
    symlinkSync(join(installed, name), place)
  }
}

/** What `npm pack` makes, unpacked in a project that has nothing else, beside the packages that it depends on. Needs no network. */
export const emptyProject = () => {
  const dir = mkdtempSync(join(tmpdir(), 'livechat-package-'))
  const [sources, project] = [join(dir, 'sources'), join(dir, 'project')]
  const place = join(project, 'node_modules', 'livechat-bridge')
  for (const each of [sources, place, join(project, 'node_modules', '.bin')]) mkdirSync(each, { recursive: true })
  copyOfSources(sources)
  execFileSync('npm', ['pack', '--silent', '--pack-destination', dir], { cwd: sources, stdio: 'ignore' })
  const tarball = readdirSync(dir).find((name) => name.endsWith('.tgz')) ?? ''
  execFileSync('tar', ['xzf', join(dir, tarball), '--strip-components=1', '-C', place])
  const manifest = JSON.parse(readFileSync(join(place, 'package.json'), 'utf8'))
  // What a project in TypeScript on Node has of its own.
  link([...Object.keys(manifest.dependencies), '@types/node'], project)
  symlinkSync(
    join('..', 'livechat-bridge', manifest.bin['livechat-bridge']),
    join(project, 'node_modules/.bin/livechat-bridge'),
  )
  symlinkSync('../node/bin/node', join(project, 'node_modules/.bin/node'))
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  return {
    manifest,
    /** A file of the sources as it is after packing. */
    restored: (name: string) => readFileSync(join(sources, name), 'utf8'),
    /** Where the package is installed. */
    place,
    write: (name: string, text: string) => writeFileSync(join(project, name), text),
    run: (command: string, ...args: ReadonlyArray<string>): string =>
      execFileSync(command, args, { cwd: project, encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] }),
    /** Runs a command until it is told to end; what it prints goes to stderr. */
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
    remove: () => rmSync(dir, { recursive: true }),
  }
}
