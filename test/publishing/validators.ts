import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import type { Schema } from '../../src/publishing/schema.ts'

const unexpected = (message: string) => {
  throw new Error(message)
}

/** Compiles a schema as strictly as ajv can; a warning is an error. */
export const validatorOf = (schema: Schema): ValidateFunction => {
  const ajv = new Ajv2020({
    strict: true,
    strictTypes: true,
    strictTuples: true,
    strictRequired: true,
    validateFormats: true,
    logger: { log: unexpected, warn: unexpected, error: unexpected },
  })
  addFormats.default(ajv)
  return ajv.compile(schema)
}
