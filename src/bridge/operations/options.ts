import * as E from 'fp-ts/lib/Either.js'
import { Day } from '../../../contracts/primitives.ts'
import { OffsetTime } from '../../../contracts/wire.ts'

/** A text to the value of an option. Left: what was expected. */
export type ReadOption<A> = (text: string) => E.Either<string, A>

/** An option of an operation. Without `read` it is a flag. Its name is its key in the options of the operation. */
export type Option = {
  readonly about: string
  /** What stands for the value in the help. */
  readonly value?: string
  readonly read?: ReadOption<unknown>
  readonly default?: unknown
  readonly isRequired?: true
  /** `repeated`: the option once for each value. `list`: all values after the option; `any`: they may be none. */
  readonly many?: 'repeated' | 'list' | 'any'
  /** The value is the id of an account. The operation is refused if no account of the accounts file has it. */
  readonly isAccount?: true
  /** The value follows the name of the operation; there is no `--name`. */
  readonly isArgument?: true
  /**
   * What the console asks to confirm before it runs with this option. Without it the option changes nothing of value.
   */
  readonly confirm?: string
  /** In the console it needs the role for every account. */
  readonly isForAll?: true
  /** The names of the options that it cannot be used together with. */
  readonly conflicts?: ReadonlyArray<string>
}
export type Options = Readonly<Record<string, Option>>

type ValueOf<O> = O extends { readonly read: ReadOption<infer A> }
  ? O extends { readonly many: string }
    ? ReadonlyArray<A>
    : A
  : true
type Sure = { readonly default: unknown } | { readonly isRequired: true }

/** The values of options. What is not given is absent. */
export type ValuesOf<O extends Options> = {
  readonly [K in keyof O as O[K] extends Sure ? K : never]: ValueOf<O[K]>
} & { readonly [K in keyof O as O[K] extends Sure ? never : K]?: ValueOf<O[K]> }

/**
 * The values of options that were given as texts by their names, as a form or a request has them: true for a flag, a
 * list where there may be many. Left: the name of an option, and what was expected.
 */
export const readValues = (
  options: Options,
  given: Readonly<Record<string, unknown>>,
): E.Either<{ readonly name: string; readonly expected: string }, object> => {
  const refused = (name: string, expected: string) => E.left({ name, expected })
  const values: Record<string, unknown> = {}
  for (const name of Object.keys(given)) if (!Object.hasOwn(options, name)) return refused(name, 'no such option')
  for (const [name, { read, many, isRequired, ...option }] of Object.entries(options)) {
    const value = given[name]
    if (value === undefined || value === false) {
      if (isRequired) return refused(name, 'a value')
      if (option.default !== undefined) values[name] = option.default
      continue
    }
    if (read === undefined) {
      if (value !== true) return refused(name, 'true or false')
      values[name] = true
      continue
    }
    const texts = many === undefined ? [value] : Array.isArray(value) ? value : [value]
    const all: unknown[] = []
    for (const text of texts) {
      const found = typeof text === 'string' ? read(text) : E.left('text')
      if (E.isLeft(found)) return refused(name, found.left)
      all.push(found.right)
    }
    values[name] = many === undefined ? all[0] : all
  }
  return E.right(values)
}

export const anyText: ReadOption<string> = E.right

const matching =
  (pattern: RegExp, expected: string): ReadOption<string> =>
  (text) =>
    pattern.test(text) ? E.right(text) : E.left(expected)

/** Milliseconds since 1970. A day such as `2026-01-31` means its midnight in UTC. */
export const time: ReadOption<number> = (text) => {
  const decoded = E.alt<unknown, string>(() => Day.decode(text))(OffsetTime.decode(text))
  return E.isRight(decoded)
    ? E.right(Date.parse(decoded.right))
    : E.left('a time as 2026-01-31T23:59:59Z, or a day as 2026-01-31')
}

export const count: ReadOption<number> = (text) =>
  E.map(Number)(matching(/^[1-9][0-9]{0,8}$/, 'a whole number, 1 or more')(text))

export const days =
  (max: number): ReadOption<number> =>
  (text) => {
    const expected = `a number of days from 1 to ${max}`
    const found = E.map(Number)(matching(/^[1-9][0-9]{0,4}$/, expected)(text))
    return E.isRight(found) && found.right > max ? E.left(expected) : found
  }

/** A place in a topic, as tables print it. */
export const place: ReadOption<string> = matching(
  /^(0|[1-9][0-9]{0,8})\/(0|[1-9][0-9]{0,15})$/,
  'an ID as list prints it: partition/offset',
)

export const oneOf =
  <A extends string>(names: ReadonlyArray<A>): ReadOption<A> =>
  (text) => {
    const found = names.find((name) => name === text)
    return found === undefined ? E.left(`one of ${names.join(', ')}`) : E.right(found)
  }

export const accountOption = <const About extends string>(about: About) => ({
  about,
  value: 'id',
  read: anyText,
  isAccount: true as const,
})

/** The options of operations that take a part of many records. */
export const limit = {
  about: 'the maximum number of records',
  value: 'number',
  read: count,
  default: 1000,
} as const
export const perSecond = {
  about: 'the maximum number of records per second',
  value: 'number',
  read: count,
  default: 100,
} as const
