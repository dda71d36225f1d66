import type { AnyOperation } from '../../operations/operation.ts'
import type { Option } from '../../operations/options.ts'
import { flagsOf, kebab } from '../command-line.ts'
import { commands } from '../commands.ts'

const usageOf = (name: string, { value, many, isArgument, isRequired }: Option) => {
  const text = value === undefined ? '' : value.toUpperCase()
  const usage = isArgument ? text : [`--${kebab(name)}`, ...(text === '' ? [] : [text])].join(' ')
  const repeated = many === undefined ? usage : `${usage}…`
  return isRequired ? repeated : `[${repeated}]`
}

const rowOf = (operation: AnyOperation): ReadonlyArray<string> => {
  const { name, summary } = operation
  const all = Object.entries<Option>({ ...operation.options, ...flagsOf(operation) })
  const usages = all.map(([option, spec]) => usageOf(option, spec))
  return [`\`${[name, ...usages].join(' ')}\``, summary]
}

/** The table of the guide of the command line. */
export const commandsTable = () => ({ head: ['command', ''], rows: commands.map(rowOf) })
