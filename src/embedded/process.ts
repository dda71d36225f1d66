import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, renameSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { lastWords } from './last-words.ts'

/** A server that runs as a process of its own. */
export type ServerProcess = {
  /** The process group, and the process that leads it. */
  readonly pid: number
  /** Resolves when nothing of it runs any more. */
  readonly ended: Promise<void>
  readonly hasEnded: () => boolean
  /** Ends it by SIGTERM, and by SIGKILL if it still runs after `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>
  /** The line of its log that tells best why it ended. */
  readonly lastWords: () => Promise<string>
}

/**
 * The shell stands between the bridge and the server and ends the server when its own input ends. That happens when
 * the bridge asks for it and as well when the bridge is killed: no server outlives its bridge.
 */
const guard = `
exec 3<&0 </dev/null
"$@" 3<&- & server=$!
(read -r _ <&3; kill -TERM $server) & guard=$!
exec 3<&-
wait $server; status=$?
kill $guard 2>/dev/null
exit $status`

type Start = {
  readonly command: string
  readonly args: ReadonlyArray<string>
  readonly cwd: string
  readonly logFile: string
}

/**
 * Starts a server in a session of its own, so that Ctrl-C in the terminal reaches the bridge alone. Its output goes
 * to `logFile`; the log of the run before is kept beside it. It does not keep this process from ending.
 */
export const startProcess = ({ command, args, cwd, logFile }: Start): ServerProcess => {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`)
  const log = openSync(logFile, 'a')
  const child = spawn('/bin/sh', ['-c', guard, 'sh', command, ...args], {
    cwd,
    detached: true,
    stdio: ['pipe', log, log],
  })
  closeSync(log)
  child.unref()
  const { stdin } = child
  if (stdin instanceof Socket) stdin.unref()
  stdin?.on('error', () => {})
  const { promise: ended, resolve } = Promise.withResolvers<void>()
  child.on('exit', () => resolve()).on('error', () => resolve())
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined
  return {
    pid: child.pid ?? 0,
    ended,
    hasEnded,
    stop: async (graceMs) => {
      child.ref()
      stdin?.end()
      await endsWithin(ended, graceMs)
      if (!hasEnded() && child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
      await ended
    },
    lastWords: async () => lastWords(await readFile(logFile, 'utf8')),
  }
}

const endsWithin = async (ended: Promise<void>, ms: number) => {
  const enough = new AbortController()
  await Promise.race([ended, sleep(ms, undefined, { signal: enough.signal }).catch(() => {})])
  enough.abort()
}
