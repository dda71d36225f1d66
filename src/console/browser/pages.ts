import { useEffect, useState } from 'preact/hooks'
import { get, type Result, type Trouble } from './api.ts'
import { useAction, useLoad } from './hooks.ts'

type Page<Row> = { readonly rows: ReadonlyArray<Row>; readonly next?: string }
type Rows<Row> = {
  readonly rows: ReadonlyArray<Row> | undefined
  readonly trouble: Trouble | undefined
  readonly again: () => void
  readonly hasMore: boolean
  readonly more: () => void
  readonly moreTrouble: Trouble | undefined
}

/** A list in pages: the first page of a path, and further pages by cursor. */
export const usePages = <Row>(path: string, query: URLSearchParams): Rows<Row> => {
  const of = (cursor: string) => {
    const all = new URLSearchParams(query)
    if (cursor !== '') all.set('cursor', cursor)
    return `${path}?${all}`
  }
  const first = useLoad(of(''), (signal) => get<Page<Row>>(of(''), signal))
  const older = useAction<Page<Row>>()
  const [shown, setShown] = useState<Page<Row>>()
  useEffect(() => setShown(first.value), [first.value])
  const more = () =>
    older.run(async (): Promise<Result<Page<Row>>> => {
      const answer = await get<Page<Row>>(of(shown?.next ?? ''))
      if (answer.ok) setShown({ ...answer.value, rows: [...(shown?.rows ?? []), ...answer.value.rows] })
      return answer
    })
  return {
    rows: shown?.rows,
    trouble: first.trouble,
    again: first.again,
    hasMore: shown?.next !== undefined,
    more,
    moreTrouble: older.trouble,
  }
}
