import { allChecks } from '../../bridge/domain/checks.ts'
import type { Table } from '../../tools/publishing/table.ts'

/** The table of the operator's guide. */
export const checksTable = (): Table => ({
  head: ['check', 'of the role', 'is not met while', 'what to do first'],
  rows: allChecks.map(({ name, of, unmet, first }) => [`\`${name}\``, of === 'all' ? of : of.join(', '), unmet, first]),
})
