/** A response other than 200: status, error code and a sentence (protocol, Errors). */
export type Refusal = {
  readonly status: number
  readonly code: string
  readonly message: string
  readonly headers?: Readonly<Record<string, string>>
}

export const errorBody = ({ code, message }: Pick<Refusal, 'code' | 'message'>) => ({ error: { code, message } })
