import { published } from '../../../src/tools/publishing/catalogue.ts'
import { checkedIn } from '../../tools/publishing/current.ts'
import { validatorOf } from '../../tools/publishing/validators.ts'

const validators = new Map(
  published.map(({ name }) => [name, validatorOf(JSON.parse(checkedIn[`schemas/${name}.json`] ?? ''))]),
)

/** What in a value does not match the published schema of this name; undefined if all of it matches. */
export const misfit = (name: string, value: unknown): string | undefined => {
  const accepts = validators.get(name)
  if (accepts === undefined) return `no schema ${name} is published`
  if (accepts(value)) return undefined
  return (accepts.errors ?? []).map(({ instancePath, message }) => `${instancePath || 'value'} ${message}`).join(', ')
}
