export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** A JSON Schema (2020-12) that is an object. */
export type Schema = JsonObject

export const dialect = 'https://json-schema.org/draft/2020-12/schema'

/** The schema of a definition: JSON pointers mean the same in every draft and in OpenAPI. */
export const refTo = (place: string, name: string): Schema => ({ $ref: `#/${place}/${name}` })
