/** What the bridge sets where the URL says nothing, by the option's name in small letters. */
const own: Readonly<Record<string, string>> = {
  appname: 'appName',
  connecttimeoutms: 'connectTimeoutMS',
  heartbeatfrequencyms: 'heartbeatFrequencyMS',
  maxpoolsize: 'maxPoolSize',
  retryreads: 'retryReads',
  retrywrites: 'retryWrites',
  serverselectiontimeoutms: 'serverSelectionTimeoutMS',
  sockettimeoutms: 'socketTimeoutMS',
  waitqueuetimeoutms: 'waitQueueTimeoutMS',
}

/** What the bridge decides: it must read what it has written, and what it has written must survive a failover. */
const decided: Readonly<Record<string, string>> = {
  j: 'that of w=majority',
  journal: 'that of w=majority',
  maxstalenessseconds: 'readPreference=primary',
  readconcernlevel: 'that of each request',
  readpreference: 'primary',
  readpreferencetags: 'readPreference=primary',
  w: 'majority',
  wtimeout: '5000',
  wtimeoutms: '5000',
}

type Option = { readonly name: string; readonly value: string; readonly text: string }

const optionsOf = (url: string): ReadonlyArray<Option> => {
  const query = url.indexOf('?')
  if (query === -1) return []
  return url
    .slice(query + 1)
    .split('&')
    .map((text) => {
      const [name = '', value = ''] = text.split('=', 2)
      return { name: name.toLowerCase(), value, text }
    })
}

const isDecided = ({ name }: Option): boolean => Object.hasOwn(decided, name)

/** The URL without the options that the bridge decides. */
export const withoutDecided = (url: string): string => {
  const kept = optionsOf(url).filter((option) => !isDecided(option))
  const [address = ''] = url.split('?', 1)
  return kept.length === 0 ? address : `${address}?${kept.map(({ text }) => text).join('&')}`
}

/** The driver's names of the bridge's own options that this URL has values for: those of the URL count. */
export const ownOptionsIn = (url: string): ReadonlyArray<string> =>
  optionsOf(url).flatMap(({ name }) => (Object.hasOwn(own, name) ? [own[name] ?? ''] : []))

/** The number of connections that the URL wants to have open. */
export const minPoolSizeIn = (url: string): number =>
  Number(optionsOf(url).find(({ name }) => name === 'minpoolsize')?.value ?? 0) || 0

/** What the operator should know of a URL with which the bridge runs. Never with a value, which may be a secret. */
export const urlWarnings = (url: string): ReadonlyArray<string> => {
  const ignored = optionsOf(url).filter((option) => isDecided(option) && option.value !== decided[option.name])
  const hasPath = /^mongodb(?:\+srv)?:\/\/[^/?]+\/[^?]/.test(url)
  return [
    ...ignored.map(
      ({ name, text }) => `MONGODB_URL ${text.split('=', 1)[0]}: has no effect: the bridge uses ${decided[name]}`,
    ),
    ...(hasPath
      ? []
      : [
          'MONGODB_URL: without a path the bridge uses the database livechat, and mongosh and mongodump another: write it at the end of the path',
        ]),
  ]
}
