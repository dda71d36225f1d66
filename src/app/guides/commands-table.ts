import type { AnyOperation } from '../../bridge/operations/operation.ts'
import type { Option } from '../../bridge/operations/options.ts'
import { commands } from '../commands.ts'

/** The command with its arguments. `--help` has the options. */
const rowOf = ({ name, summary, options }: AnyOperation): ReadonlyArray<string> => {
  const args = Object.values<Option>(options).flatMap(({ isArgument, isRequired, value = '' }) => {
    if (!isArgument) return []
    return [isRequired ? value.toUpperCase() : `[${value.toUpperCase()}]`]
  })
  return [`\`${[name, ...args].join(' ')}\``, summary]
}

/** The table of the guide of the command line. */
export const commandsTable = () => ({ head: ['command', ''], rows: commands.map(rowOf) })
