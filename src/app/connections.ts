import * as E from 'fp-ts/lib/Either.js'
import type { BotAccount } from '../bridge/domain/accounts.ts'
import { mongoReasonOf } from '../bridge/mongo/classify.ts'
import { connectMongo, lacksIn } from '../bridge/mongo/connect.ts'
import { networkReasonOf, tlsReasonOf, wordsOfAddress } from '../bridge/shared/tls-trouble.ts'
import { oidcWith } from '../console/access/oidc.ts'
import type { Settings } from './config.ts'
import { kafkaFor, kafkaOf, mongoOf, useProxy } from './servers.ts'

/** Whether the bridge gets what it needs from a server, or why not, with the setting to check. */
export type Connection = { readonly to: string; readonly ok: boolean; readonly reason: string }

const withBridge: Omit<Connection, 'to'> = { ok: true, reason: 'starts with the bridge' }

/** Many topics may lack the same thing. */
const joined = (all: ReadonlyArray<Connection>): ReadonlyArray<Connection> =>
  [...Map.groupBy(all, ({ ok, reason }) => `${ok} ${reason}`).values()].flatMap((same) =>
    same.slice(0, 1).map((one) => ({ ...one, to: same.map(({ to }) => to).join(', ') })),
  )

const kafkaConnections = async (settings: Settings): Promise<ReadonlyArray<Connection>> => {
  const config = kafkaOf(settings)
  if (config === undefined) return [{ to: 'Kafka', ...withBridge }]
  const kafka = kafkaFor('check-config', config, settings)
  try {
    const health = await kafka.health()
    if (!health.ok) return [{ to: 'Kafka', ...health }]
    const rights = (await kafka.missingRights()).map(({ of, name, operations }) => ({
      to: name,
      ok: false,
      reason: `Kafka's user lacks ${operations.join(', ')} on ${of}s: see its rights in install.md`,
    }))
    const topics = await kafka.validateTopics()
    if (E.isLeft(topics)) return [{ to: 'Kafka', ok: false, reason: topics.left.reason }, ...joined(rights)]
    const differing = topics.right.flatMap(({ name, partitions, differences, refused }) => {
      if (differences.length === 0) return []
      const willBeCreated = partitions === 0 && refused === undefined
      const reason = willBeCreated ? 'is created at the start' : differences.join(', ')
      return [{ to: name, ok: partitions > 0 || willBeCreated, reason }]
    })
    return [{ to: 'Kafka', ...health }, ...joined([...rights, ...differing])]
  } finally {
    await kafka.stop()
  }
}

const mongoConnection = async (settings: Settings): Promise<Connection> => {
  const location = mongoOf(settings)
  if (location === undefined) return { to: 'MongoDB', ...withBridge }
  const mongo = connectMongo(location)
  try {
    const health = await mongo.health()
    if (!health.ok) return { to: 'MongoDB', ...health }
    const lacks = await mongo.query(lacksIn)(settings.accounts.map(({ timeZone }) => timeZone))
    return { to: 'MongoDB', ok: lacks.length === 0, reason: lacks.join('; ') || health.reason }
  } catch (error) {
    return { to: 'MongoDB', ok: false, reason: mongoReasonOf(error) }
  } finally {
    await mongo.stop()
  }
}

const signInConnection = async ({ console: { oidc } }: Settings): Promise<ReadonlyArray<Connection>> => {
  if (oidc === undefined) return []
  const to = 'identity provider'
  const flow = oidcWith({ settings: oidc, redirectUri: oidc.issuer, key: new Uint8Array(32), clock: () => new Date() })
  const begun = await flow.begin('')
  if (E.isRight(begun)) return [{ to, ok: true, reason: `${oidc.issuer}, groups in the claim ${oidc.groupsClaim}` }]
  const { left } = begun
  const why =
    left.kind === 'expired' ? left.kind : [left.reason, left.code].filter((part) => part !== undefined).join('; ')
  return [{ to, ok: false, reason: why }]
}

const answerWithinMs = 5_000
const words = wordsOfAddress('the service', 'bot.baseUrl')

/** Any answer will do: what the service thinks of a request shows only when it gets one. */
const serviceConnection = async (id: string, { baseUrl }: BotAccount): Promise<Connection> => {
  const { host } = new URL(baseUrl)
  const signal = AbortSignal.timeout(answerWithinMs)
  try {
    const { status, body } = await fetch(baseUrl, { method: 'GET', redirect: 'manual', signal })
    await body?.cancel()
    return { to: `service of ${id}`, ok: true, reason: `${host} answers (${status})` }
  } catch (error) {
    const network = networkReasonOf(error, host)
    const reason = tlsReasonOf(error, words) ?? `${network ?? `${host} cannot be reached`}: see bot.baseUrl`
    return { to: `service of ${id}`, ok: false, reason }
  }
}

/** Asks each server once for what readiness, sign-in and replies need. Changes nothing. */
export const checkConnections = async (settings: Settings): Promise<ReadonlyArray<Connection>> => {
  await useProxy(settings.proxy)
  const services = settings.demo
    ? []
    : settings.accounts.flatMap(({ id, bot }) => (bot === undefined ? [] : [{ id, bot }]))
  const all = await Promise.all([
    kafkaConnections(settings),
    mongoConnection(settings),
    signInConnection(settings),
    ...services.map(({ id, bot }) => serviceConnection(id, bot)),
  ])
  return all.flat()
}
