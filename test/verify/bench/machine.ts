import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { availableParallelism, cpus, release, totalmem, type } from 'node:os'

/** The machine on which the figures were measured, and what ran there. */
export type Machine = Readonly<Record<string, string>>

const firstLine = (command: string, ...args: ReadonlyArray<string>): string => {
  try {
    return execFileSync(command, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).split('\n')[0] ?? ''
  } catch {
    return 'not known'
  }
}

const distribution = () => {
  try {
    return /^PRETTY_NAME="(.*)"/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1] ?? 'not known'
  } catch {
    return 'not known'
  }
}

const versionOf = (name: string): string =>
  JSON.parse(readFileSync(new URL(`../../../node_modules/${name}/package.json`, import.meta.url), 'utf8')).version

/** `servers`: how the broker and mongod describe themselves. */
export const describeMachine = (servers: Readonly<Record<string, string>>): Machine => ({
  'the bridge, commit': firstLine('git', 'rev-parse', '--short', 'HEAD'),
  CPU: cpus()[0]?.model.trim() ?? 'not known',
  cores: String(availableParallelism()),
  memory: `${Math.round(totalmem() / 1024 ** 3)} GiB`,
  system: `${distribution()}, ${type()} ${release()}`,
  Node: process.version,
  Java: firstLine('java', '--version'),
  ...servers,
  kafkajs: versionOf('kafkajs'),
  'mongodb driver': versionOf('mongodb'),
})
