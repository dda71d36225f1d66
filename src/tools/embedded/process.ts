import { spawn } from 'node:child_process'
import { closeSync, existsSync, openSync, renameSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { stderrTail } from './stderr-tail.ts'

/** A server that runs as a separate process. */
export type ServerProcess = {
  /** The id of the process group and of its leader. */
  readonly pid: number
  /** Resolves when the server has ended. */
  readonly ended: Promise<void>
  readonly hasEnded: () => boolean
  /** Ends the server with SIGTERM, and with SIGKILL if it still runs after `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>
  /** The line of its log that best explains why it ended. */
  readonly stderrTail: () => Promise<string>
}

/**
 * A shell between the bridge and the server. It ends the server when its own stdin ends: when the bridge closes stdin,
 * or when the bridge is killed. So no server outlives its bridge. Linux may divide the processor among sessions before
 * it looks at a process's nice value, so the session gets that value too.
 */
const guard = `
exec 3<&0 </dev/null
nice=$1; shift
[ "$nice" = 0 ] || echo "$nice" 2>/dev/null >/proc/self/autogroup
nice -n "$nice" "$@" 3<&- & server=$!
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
  /** How much the server lets this process go first: from 0, not at all, to 19. */
  readonly nice?: number | undefined
}

/**
 * Starts a server in its own session, so that Ctrl-C in the terminal reaches only the bridge. Its output goes to
 * `logFile`. The log of the previous run is kept as `logFile.1`. The server does not prevent this process from ending.
 */
export const startProcess = ({ command, args, cwd, logFile, nice = 0 }: Start): ServerProcess => {
  if (existsSync(logFile)) renameSync(logFile, `${logFile}.1`)
  const log = openSync(logFile, 'a')
  const child = spawn('/bin/sh', ['-c', guard, 'sh', `${nice}`, command, ...args], {
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
    stderrTail: async () => stderrTail(await readFile(logFile, 'utf8')),
  }
}

const endsWithin = async (ended: Promise<void>, ms: number) => {
  const enough = new AbortController()
  await Promise.race([ended, sleep(ms, undefined, { signal: enough.signal }).catch(() => {})])
  enough.abort()
}
