import * as E from 'fp-ts/lib/Either.js'
import { commandLineUser } from '../bridge/operations/audit.ts'
import { settled } from '../bridge/shared/timeout.ts'
import { startBridge } from './bridge.ts'
import { exitOfWrongConfig, readSettings } from './config.ts'
import { type ChildName, type FromChild, type FromParent, rolesOfChild } from './pair.ts'
import { roleCode } from './parts.ts'
import { createLog, startTraces } from './telemetry.ts'

/** Nobody waits for this process once its parent is gone. */
const stopWithinMs = 10_000

/** Runs one of the two processes until the parent says stop or is gone. Resolves with the exit code. */
export const runChild = async (name: ChildName): Promise<number> => {
  // The terminal sends Ctrl-C to all processes. The parent decides when this one ends.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined)
  const orders = Promise.withResolvers<Extract<FromParent, { readonly do: 'start' }>>()
  const ended = Promise.withResolvers<'stop' | 'gone'>()
  const peerKnown = Promise.withResolvers<void>()
  let peerUrl: string | undefined
  process.on('disconnect', () => ended.resolve('gone'))
  process.on('message', (message: FromParent) => {
    if (message.do === 'start') orders.resolve(message)
    else if (message.do === 'stop') ended.resolve('stop')
    else {
      peerUrl = message.url
      if (peerUrl !== undefined) peerKnown.resolve()
    }
  })
  if (!process.connected) return 1
  const report = (message: FromChild) => void (process.connected && process.send?.(message))
  const settings = await readSettings('find')
  if (settings === undefined) return exitOfWrongConfig
  // While the servers start.
  await Promise.all(rolesOfChild[name].map((role) => roleCode[role]()))
  report({ is: 'waiting' })
  const given = await Promise.race([orders.promise, ended.promise])
  if (typeof given === 'string') return given === 'stop' ? 0 : 1
  const log = createLog(settings.logLevel)
  const stopTraces = await startTraces(settings.traces, log)
  const pair = { child: name, peer: { token: given.token, url: () => peerUrl } }
  const bridge = await startBridge(settings, given, rolesOfChild[name], log, pair)
  if (E.isLeft(bridge)) {
    report({ is: 'failed', ...bridge.left })
    return bridge.left.exitCode
  }
  const { url, adminUrl, ready, signInLink, stop } = bridge.right
  report({ is: 'listening', url, adminUrl })
  void Promise.all([ready, peerKnown.promise]).then(async () => {
    const link = await signInLink?.(commandLineUser()).catch(() => undefined)
    report({ is: 'ready', ...(link !== undefined && { signInLink: link }) })
  })
  const how = await ended.promise
  const stopped = stop().then(stopTraces)
  if (how === 'gone') {
    await settled(stopped, stopWithinMs)
    return 1
  }
  await stopped
  return 0
}
