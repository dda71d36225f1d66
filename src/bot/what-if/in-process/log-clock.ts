import { AsyncLocalStorage } from 'node:async_hooks'

type Moment = { readonly logMs: number; readonly startedAt: number }

const moments = new AsyncLocalStorage<Moment>()
const RealDate = Date

const nowMs = (): number => {
  const moment = moments.getStore()
  return moment === undefined ? RealDate.now() : moment.logMs + Math.floor(performance.now() - moment.startedAt)
}

/** Runs work in which the time is that of the log, and goes on from there. */
export const atLogTime = <A>(time: string, work: () => Promise<A>): Promise<A> =>
  moments.run({ logMs: RealDate.parse(time), startedAt: performance.now() }, work)

/** From now on `Date` and `Temporal.Now` give the time of the log to the work that `atLogTime` runs. */
export const installLogClock = (): void => {
  globalThis.Date = new Proxy(RealDate, {
    construct: (real, given, newTarget) => Reflect.construct(real, given.length === 0 ? [nowMs()] : given, newTarget),
    apply: () => new RealDate(nowMs()).toString(),
    get: (real, key) => (key === 'now' ? nowMs : Reflect.get(real, key)),
  })
  if (typeof Temporal === 'undefined') return
  const { Instant, Now } = Temporal
  const zoned: typeof Now.zonedDateTimeISO = (zone = Now.timeZoneId()) =>
    Instant.fromEpochMilliseconds(nowMs()).toZonedDateTimeISO(zone)
  Object.assign(Now, {
    instant: () => Instant.fromEpochMilliseconds(nowMs()),
    zonedDateTimeISO: zoned,
    plainDateTimeISO: (zone?: string) => zoned(zone).toPlainDateTime(),
    plainDateISO: (zone?: string) => zoned(zone).toPlainDate(),
    plainTimeISO: (zone?: string) => zoned(zone).toPlainTime(),
  })
}
