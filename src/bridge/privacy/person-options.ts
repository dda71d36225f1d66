import * as E from 'fp-ts/lib/Either.js'
import {
  type Also,
  alsoText,
  type Certain,
  type Identity,
  likelyKinds,
  readAlso,
  readCertain,
} from '../domain/person/ids.ts'
import type { Person } from '../domain/person/person.ts'
import { accountOption, anyText, type ReadOption, type ValuesOf } from '../operations/options.ts'
import type { Request } from './erase/plan.ts'

const kinds = ['client', 'visitor', 'chat', 'email', 'phone'] as const

const also: ReadOption<Also> = (text) => {
  const read = readAlso(text)
  return read === undefined
    ? E.left(`one of ${likelyKinds.join(', ')}, or a chat, client or visitor such as client:1240`)
    : E.right(read)
}

const except: ReadOption<Certain> = (text) => {
  const read = readCertain(text)
  return read === undefined ? E.left('a chat, client or visitor such as client:1300') : E.right(read)
}

const naming = (kind: (typeof kinds)[number], value: string, about: string) => ({
  about,
  value,
  read: anyText,
  conflicts: kinds.filter((other) => other !== kind),
})

/** The options by which `erase` and `export` identify a person. */
export const personOptions = {
  client: naming('client', 'id', 'the client with this id'),
  visitor: naming('visitor', 'number', 'the visitor with this number'),
  chat: naming('chat', 'id', 'the person in this chat'),
  email: naming('email', 'address', 'the person with this email address, in capital or small letters'),
  phone: naming('phone', 'number', 'the person with this phone number; only its digits count'),
  account: accountOption('the account, by its id in the accounts file'),
  also: {
    about: `who else is the same person: one chat, client or visitor, such as client:1240, or all with the same ${likelyKinds.join(', ')}`,
    value: 'who',
    read: also,
    many: 'list',
  },
  except: {
    about:
      'who is another person although ids lead there: a client with its chats, a chat without a client, or all that only this visitor number joins, such as visitor:7',
    value: 'who',
    read: except,
    many: 'list',
  },
} as const

/** Undefined if the account or the person is missing. */
export const requestOf = ({
  account,
  also = [],
  except = [],
  ...options
}: ValuesOf<typeof personOptions>): Request | undefined => {
  const start = kinds.flatMap((kind): ReadonlyArray<Identity> => {
    const value = options[kind]
    return value === undefined ? [] : [{ kind, value }]
  })[0]
  return account === undefined || start === undefined ? undefined : { accountId: account, start, also, except }
}

export const whoIsMeant = 'Name the person: use --account, and one of --client, --visitor, --chat, --email and --phone.'

export const whoIsNot = 'Somebody is named both as the person and with --except. Name each once.'

/** Why nothing is done if somebody who is left out may lose something too. Undefined if all belongs to one of them. */
export const whoseIsIt = ({ contested }: Pick<Person, 'contested'>): string | undefined =>
  contested.length === 0
    ? undefined
    : `Of a client who is included, and of somebody named with --except: ${contested.map(alsoText).join(', ')}. Leave out each client of such a chat, or name the chat with --also instead.`
