import type { Table } from '../../tools/publishing/table.ts'
import { settings } from '../environment.ts'

const quoted = (text: string) => `\`${text}\``

const valueText = (value: unknown) => (typeof value === 'number' ? String(value) : quoted(String(value)))

/** The table of the operator's guide. */
export const settingsTable = (): Table => ({
  head: ['variable', 'default', ''],
  rows: settings.flatMap(({ settings: those, unset, about }) => {
    if (about === undefined) return []
    const defaults = Object.values(those).map((codec) => valueText(codec.unset))
    return [[Object.keys(those).map(quoted).join(', '), unset ?? defaults.join(', '), about]]
  }),
})
