import * as E from 'fp-ts/lib/Either.js'
import { pipe } from 'fp-ts/lib/function.js'
import * as t from 'io-ts'
import { AccountId, Id, shape } from '../../contracts/primitives.ts'
import { WireId } from '../../contracts/wire.ts'

const Addressed = shape(
  { id: Id, accountId: AccountId, chatId: WireId, clientId: WireId },
  { type: t.unknown },
  'Addressed',
)
export type Addressed = t.TypeOf<typeof Addressed>

/** Whose a command is that cannot be taken otherwise, so that its author can be told. */
export const readable = (value: Buffer | null): Addressed | undefined =>
  pipe(
    E.tryCatch((): unknown => JSON.parse(String(value)), E.toError),
    E.chainW(Addressed.decode),
    E.getOrElseW(() => undefined),
  )
