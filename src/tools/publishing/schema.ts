export type Json = null | boolean | number | string | ReadonlyArray<Json> | JsonObject
export type JsonObject = { readonly [key: string]: Json }

/** A JSON Schema (2020-12) that is an object. */
export type Schema = JsonObject

export const dialect = 'https://json-schema.org/draft/2020-12/schema'

/** A reference to a definition. JSON pointers mean the same in every draft and in OpenAPI. */
export const refTo = (place: string, name: string): Schema => ({ $ref: `#/${place}/${name}` })

/** The version of the contracts as a whole: that of the bridge which released them. */
export const version = '0.1.0'

/** The Info object of an OpenAPI or AsyncAPI document, without its license. */
export const about = (title: string, description: string): JsonObject => ({ title, version, description })
