import type { Identity } from '../domain/person/ids.ts'

/** The fields that link one person's chats and clients, by the kind of identity that they have. */
export type LinkFields = Partial<Readonly<Record<Identity['kind'], ReadonlyArray<string>>>>

/** Which documents of a view are about a person: by a field with the person's chats or clients. */
export type OfPerson = {
  readonly field: 'chatId' | 'clientId'
  /** A further condition. */
  readonly where?: Readonly<Record<string, unknown>>
}

/** How a person's documents are found. */
export type PersonFields = { readonly links?: LinkFields; readonly documents: ReadonlyArray<OfPerson> }

export const ofCaller: LinkFields = {
  visitor: ['visitor.number'],
  email: ['visitor.email'],
  phone: ['visitor.phone'],
}
export const ofVisitor: LinkFields = { ...ofCaller, userToken: ['userToken'] }
