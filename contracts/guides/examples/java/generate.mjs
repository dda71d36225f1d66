// Makes the classes of src/livechat from the AsyncAPI document, with Modelina.
import { readFileSync } from 'node:fs'
import { JAVA_CONSTRAINTS_PRESET, JAVA_JACKSON_PRESET, JavaFileGenerator } from '@asyncapi/modelina'

const { ASYNCAPI = '../../../published/asyncapi.yaml' } = process.env
const constraints = { preset: JAVA_CONSTRAINTS_PRESET, options: { useJakarta: true } }
// Modelina writes bounds above Java's int without the letter L.
const longs = { class: { property: ({ content }) => content.replace(/(@(?:Min|Max)\(-?\d+)\)/g, '$1L)') } }
const presets = [JAVA_JACKSON_PRESET, constraints, longs]
const generator = new JavaFileGenerator({ collectionType: 'List', presets })
await generator.generateToFiles(readFileSync(ASYNCAPI, 'utf8'), 'src/livechat', { packageName: 'livechat' })
