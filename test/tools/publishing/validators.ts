import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import * as E from 'fp-ts/lib/Either.js'
import { Instant } from '../../../contracts/primitives.ts'
import { OffsetTime } from '../../../contracts/wire.ts'
import { isObject } from '../../../src/bridge/shared/json.ts'
import type { Schema } from '../../../src/tools/publishing/schema.ts'

const unexpected = (message: string) => {
  throw new Error(message)
}

/** Times of others, which may have any offset, have a comment beside their format. */
const distinguished = (_: string, part: unknown) =>
  isObject(part) && part.$comment === 'with any offset' ? { ...part, format: 'offset-time' } : part

/** Compiles a schema as strictly as ajv can; a warning is an error. */
export const validatorOf = (schema: Schema): ValidateFunction => {
  const ajv = new Ajv2020({
    keywords: ['x-personal'],
    strict: true,
    strictTypes: true,
    strictTuples: true,
    strictRequired: true,
    validateFormats: true,
    logger: { log: unexpected, warn: unexpected, error: unexpected },
  })
  addFormats.default(ajv)
  // The bridge writes times in UTC, with nanoseconds at most. The format alone allows more, and no schema can restrict
  // it: generators cannot read a pattern beside a format.
  ajv.addFormat('date-time', Instant.is)
  ajv.addFormat('offset-time', (text: string) => E.isRight(OffsetTime.decode(text)))
  return ajv.compile(JSON.parse(JSON.stringify(schema), distinguished))
}
