/** An index, in MongoDB's own form. */
export type Index = {
  readonly key: Readonly<Record<string, 1 | -1>>
  readonly name?: string
  readonly partialFilterExpression?: Readonly<Record<string, unknown>>
  readonly collation?: { readonly locale: string; readonly strength: number }
}

/** An index of the documents of one account by these fields. */
export const by = (...fields: ReadonlyArray<string>): Index => ({
  key: Object.fromEntries(['accountId', ...fields].map((field) => [field, 1 as const])),
})

const onlyWith = (field: string) => ({ partialFilterExpression: { [field]: { $exists: true } } })

/** An index of only the documents that have the field. It is small if few have it. */
export const where = (field: string, ...others: ReadonlyArray<string>): Index => ({
  ...by(field, ...others),
  ...onlyWith(field),
})

/** As `where`, for the documents of all accounts. */
export const whereOfAll = (field: string): Index => ({ key: { [field]: 1 }, ...onlyWith(field) })

/** With this collation, texts are equal that differ only in capital and small letters. */
export const inAnyCase = { locale: 'en', strength: 2 }

/** Indexes of the fields that link a person's documents. */
export const linkIndexes: ReadonlyArray<Index> = [
  where('visitor.number'),
  where('visitor.email'),
  { ...where('visitor.email'), name: 'visitor.email in any case', collation: inAnyCase },
  where('visitor.phone'),
]
