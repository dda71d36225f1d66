import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { Instant } from '../../contracts/primitives.ts'
import type { Schema } from '../../src/publishing/schema.ts'

const unexpected = (message: string) => {
  throw new Error(message)
}

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
  return ajv.compile(schema)
}
