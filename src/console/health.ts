import { checkNamed, type Health } from '../bridge/domain/checks.ts'

/**
 * `off`: it does not run. While a server that it needs does not answer, it `waits` if it fails, and otherwise is
 * `unknown`: nobody can tell.
 */
export type HealthState = 'works' | 'degraded' | 'down' | 'off' | 'waits' | 'unknown'

type Checks = Readonly<Record<string, Health>>

const serverNames = { kafka: 'Kafka', mongodb: 'MongoDB' } as const

/** The server that a part needs and that does not answer. */
const absentFor = (name: string, checks: Checks): keyof typeof serverNames | undefined =>
  checkNamed(name)?.needs?.find((server) => checks[server]?.ok === false)

/** The state of a part, by its own check and those of the servers that it needs. */
export const healthState = (name: string, { ok, isLimited, isOff }: Health, checks: Checks = {}): HealthState => {
  if (isOff) return 'off'
  const { isOptional, outranksItsServers } = checkNamed(name) ?? {}
  const isAbsent = absentFor(name, checks) !== undefined
  if (isAbsent && (isLimited || !(ok || outranksItsServers))) return 'waits'
  if (!ok) return isOptional ? 'degraded' : 'down'
  if (isLimited) return 'degraded'
  return isAbsent ? 'unknown' : 'works'
}

/** True if the part does not work for a reason of its own. */
export const isWrong = (state: HealthState): state is 'degraded' | 'down' | 'off' =>
  state === 'degraded' || state === 'down' || state === 'off'

/** What the state of a part means for users. */
export const healthWords = (name: string, state: HealthState, checks: Checks = {}): string => {
  if (state === 'works') return 'In order.'
  const absent = absentFor(name, checks)
  if (absent !== undefined && state === 'unknown')
    return `It cannot be checked while ${serverNames[absent]} does not answer.`
  if (absent !== undefined && state === 'waits') return `It works again once ${serverNames[absent]} answers.`
  return checkNamed(name)?.effect ?? 'A part of the bridge does not work as it should.'
}

/** What an operator does first about a part. Undefined if nothing has to be done about the part itself. */
export const firstStep = (name: string, state: HealthState): string | undefined =>
  isWrong(state) ? (checkNamed(name)?.first ?? 'look at its reason and into the log') : undefined
