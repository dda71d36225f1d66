import { type Command, Option } from 'commander'
import { type Identity, type LikelyKind, likelyKinds } from '../../domain/person.ts'
import type { Request } from './plan.ts'

export type PersonOptions = {
  readonly account?: string
  readonly client?: string
  readonly visitor?: string
  readonly chat?: string
  readonly email?: string
  readonly also?: ReadonlyArray<LikelyKind>
}

const named = ['client', 'visitor', 'chat', 'email'] as const

/** Adds the options by which `erase` and `export` identify a person. */
export const withPersonOptions = (command: Command): Command => {
  const [first, ...others] = [
    new Option('--client <id>', 'the client with this id'),
    new Option('--visitor <number>', 'the visitor with this number'),
    new Option('--chat <id>', 'the person in this chat'),
    new Option('--email <address>', 'the person with this email address'),
  ].map((option, i) => option.conflicts(named.filter((_, j) => j !== i)))
  for (const option of [first, ...others]) if (option !== undefined) command.addOption(option)
  return command
    .option('--account <id>', 'the account, by its id in the accounts file')
    .addOption(
      new Option(
        '--also <kinds...>',
        'include also likely matches: clients and chats with the same email address, phone number or userToken',
      ).choices(likelyKinds),
    )
}

/** Undefined if the account or the person is missing. */
export const requestOf = (options: PersonOptions): Request | undefined => {
  const { account, also = [] } = options
  const start = named.flatMap((kind): ReadonlyArray<Identity> => {
    const value = options[kind]
    return value === undefined ? [] : [{ kind, value }]
  })[0]
  return account === undefined || start === undefined ? undefined : { accountId: account, start, also }
}

export const whoIsMeant = 'Name the person: use --account, and one of --client, --visitor, --chat and --email.'
