import { messageTypes } from '../../../contracts/messages/index.ts'
import { eventTypesOn, keys, type Topic, topics } from '../../../contracts/topics.ts'
import { allChecks } from '../../bridge/domain/checks.ts'
import { type Metric, metrics } from '../../bridge/domain/metrics.ts'
import type { AnyOperation } from '../../bridge/operations/operation.ts'
import type { Option } from '../../bridge/operations/options.ts'
import { markdown, type Table } from '../../bridge/shared/table.ts'
import { dayMs } from '../../bridge/shared/time.ts'
import { commands } from '../commands.ts'
import { settings } from '../environment.ts'

/** The table of the guide for bot authors. */
export const messagesTable = (): Table => ({
  head: ['`message.type`', 'fields', 'bounds'],
  rows: messageTypes.map(({ type, guide: { fields, bounds } }) => [`\`${type}\``, fields, bounds]),
})

const keptText = ({ content, cleanUp }: Topic): string => {
  if (content.kind === 'events') return '14 days (`RETENTION_DAYS`)'
  if (cleanUp === 'forever') return 'permanently'
  return cleanUp === 'compact' ? 'the newest of each key' : `${cleanUp.deleteAfterMs / dayMs} days`
}

const keyText = ({ key }: Topic): string =>
  keys[key].replaceAll(/<(\w+)(?: id)?>/g, '$1').replace('the original key', 'the original one')

const rowOf = (those: ReadonlyArray<Topic>): ReadonlyArray<string> => {
  const [first] = those
  if (first === undefined) return []
  const names = those.map(({ name }) => `\`${name}\``).join(', ')
  const content = first.content.kind === 'events' ? eventTypesOn(first).join(', ') : (first.about ?? '')
  return [names, first.content.kind === 'archived events' ? 'as there' : keyText(first), content, keptText(first)]
}

/** The table of the guide for downstream teams. The archives stand in one row. */
export const topicsTable = (): Table => {
  const groups = Map.groupBy<string, Topic>(topics, ({ name, content }) =>
    content.kind === 'archived events' ? content.kind : name,
  )
  return { head: ['topic', 'key', 'content', 'kept'], rows: [...groups.values()].map(rowOf) }
}

const code = (text: string) => `\`${text}\``

const checksTable = (): Table => ({
  head: ['check', 'of the role', 'is not met while', 'what to do first'],
  rows: allChecks.map(({ name, of, unmet, first }) => [`\`${name}\``, of === 'all' ? of : of.join(', '), unmet, first]),
})

/** The command with its arguments. `--help` has the options. */
const commandRow = ({ name, summary, options }: AnyOperation): ReadonlyArray<string> => {
  const args = Object.values<Option>(options).flatMap(({ isArgument, isRequired, value = '' }) => {
    if (!isArgument) return []
    return [isRequired ? value.toUpperCase() : `[${value.toUpperCase()}]`]
  })
  return [`\`${[name, ...args].join(' ')}\``, summary]
}

const commandsTable = () => ({ head: ['command', ''], rows: commands.map(commandRow) })

const metricsTable = (): Table => ({
  head: ['metric', 'type', 'labels', ''],
  rows: Object.values<Metric>(metrics).map(({ name, kind, labels, help, more = '' }) => [
    `\`livechat_${name}\``,
    kind,
    labels.map(code).join(', '),
    `${help}${more}`,
  ]),
})

const valueText = (value: unknown) => (typeof value === 'number' ? String(value) : code(String(value)))

const settingsTable = (): Table => ({
  head: ['variable', 'default', ''],
  rows: settings.flatMap(({ settings: those, unset, about }) => {
    if (about === undefined) return []
    const defaults = Object.values(those).map((codec) => valueText(codec.unset))
    return [[Object.keys(those).map(code).join(', '), unset ?? defaults.join(', '), about]]
  }),
})

type GuideTable = {
  /** The guide in contracts/guides/. */
  readonly guide: string
  /**
   * The table's name in the comments around it: `<!-- topics: made by npm run contracts -->` and `<!-- end of topics
   * -->`.
   */
  readonly name: string
  readonly table: () => Table
}

/** The tables of the guides that are made from lists of the code. */
export const guideTables: ReadonlyArray<GuideTable> = [
  {
    guide: 'downstream-team.md',
    name: 'topics',
    table: topicsTable,
  },
  {
    guide: 'bot-reference.md',
    name: 'messages',
    table: messagesTable,
  },
  {
    guide: 'commands.md',
    name: 'commands',
    table: commandsTable,
  },
  {
    guide: 'metrics.md',
    name: 'metrics',
    table: metricsTable,
  },
  {
    guide: 'monitor.md',
    name: 'checks',
    table: checksTable,
  },
  {
    guide: 'configure.md',
    name: 'settings',
    table: settingsTable,
  },
]

/** The text of a guide with its tables as they are today. Throws if a table has no place in it. */
export const withTables = (guide: string, text: string): string =>
  guideTables
    .filter((each) => each.guide === guide)
    .reduce((before, { name, table }) => {
      const [begin, end] = [`<!-- ${name}: made by npm run contracts -->\n\n`, `\n\n<!-- end of ${name} -->`]
      const [from, to] = [before.indexOf(begin), before.indexOf(end)]
      if (from === -1 || to < from) throw new Error(`${guide} has no place for the table ${name}`)
      return `${before.slice(0, from + begin.length)}${markdown(table())}${before.slice(to)}`
    }, text)
