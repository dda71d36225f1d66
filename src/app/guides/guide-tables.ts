import { messagesTable } from '../../tools/publishing/messages-table.ts'
import { markdown, type Table } from '../../tools/publishing/table.ts'
import { topicsTable } from '../../tools/publishing/topics-table.ts'
import { checksTable } from './checks-table.ts'
import { commandsTable } from './commands-table.ts'
import { metricsTable } from './metrics-table.ts'
import { settingsTable } from './settings-table.ts'

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
