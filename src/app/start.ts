import { once } from 'node:events'
import { existsSync } from 'node:fs'
import * as E from 'fp-ts/lib/Either.js'
import { banner, sample } from './banner.ts'
import { startBridge } from './bridge.ts'
import { createLog } from './log.ts'
import type { Role } from './roles.ts'
import { forgetRunning, tellRunning } from './running.ts'
import { closedDataDir, serversFor } from './servers.ts'
import { exitOfWrongConfig, readSettings, type Settings } from './settings.ts'

const endSignal = () => Promise.race([once(process, 'SIGINT'), once(process, 'SIGTERM')])

const isFirstHour = ({ kafka, mongo, demo }: Settings) => kafka === 'embedded' || mongo === 'embedded' || demo

/** Runs the bridge until a signal ends it; resolves with the process's exit code. */
export const start = async (roles: ReadonlyArray<Role>): Promise<number> => {
  const began = performance.now()
  const ended = endSignal()
  const settings = await readSettings('make')
  if (settings === undefined) return exitOfWrongConfig
  const { dataDir } = settings
  const closed = await closedDataDir(dataDir)
  if (E.isLeft(closed)) {
    console.error(closed.left)
    return exitOfWrongConfig
  }
  const servers = await serversFor(settings, (line) => console.log(line))
  if (E.isLeft(servers)) {
    console.error(servers.left)
    return 1
  }
  const { kafka, mongo, stop: stopServers } = servers.right
  const log = createLog(settings.logLevel)
  const bridge = await startBridge(settings, servers.right, roles, log)
  if (E.isLeft(bridge)) {
    console.error(bridge.left.reason)
    await stopServers()
    return bridge.left.exitCode
  }
  const { url, ready, stop } = bridge.right
  const running = {
    pid: process.pid,
    url,
    ...(settings.kafka === 'embedded' && { brokers: kafka.brokers }),
    ...(settings.mongo === 'embedded' && { mongoUrl: mongo.url }),
  }
  const isUp = await Promise.race([ready.then(() => true), ended.then(() => false)])
  if (isUp) {
    const took = performance.now() - began
    await tellRunning(dataDir, running)
    log.info({ url, roles, ms: Math.round(took) }, 'the bridge is ready')
    if (isFirstHour(settings))
      console.log(
        banner({
          url,
          brokers: kafka.brokers,
          mongoUrl: mongo.url,
          topicPrefix: settings.topics.prefix,
          accounts: settings.accounts,
          took,
          inClone: existsSync(sample),
        }),
      )
    await ended
  }
  log.info({}, 'the bridge stops')
  forgetRunning(dataDir)
  await stop()
  await stopServers()
  log.info({}, 'the bridge has stopped')
  return 0
}
