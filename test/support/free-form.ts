import fc from 'fast-check'

const awkwardKeys = fc.oneof(
  fc.string({ maxLength: 4 }),
  fc.constantFrom('$ref', '$id', '$x', '_bsontype', 'a.b', '', 'x\0y', '__proto__', 'constructor'),
)

/** JSON in the service's own form, with names of fields that stores and JavaScript treat in a special way. */
export const freeForm = fc.dictionary(awkwardKeys, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3, noNullPrototype: true })
