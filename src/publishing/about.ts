import type { JsonObject } from './schema.ts'

/** The version of the contracts as a whole: raised when they are released. */
export const version = '1.0.0'

/** The Info object of an OpenAPI or AsyncAPI document, without its license. */
export const about = (title: string, description: string): JsonObject => ({ title, version, description })
