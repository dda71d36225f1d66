// Generates models of an AsyncAPI document with Modelina, as its users do. It runs where Modelina is installed.
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'

const [, , installed, document, language, output] = process.argv
const modelina = createRequire(installed)('@asyncapi/modelina')

const generators = {
  java: () => [
    new modelina.JavaFileGenerator({ collectionType: 'List', presets: [modelina.JAVA_JACKSON_PRESET] }),
    'livechat',
  ],
  python: () => [new modelina.PythonFileGenerator({ presets: [modelina.PYTHON_PYDANTIC_PRESET] }), 'asyncapimodels'],
  go: () => [
    new modelina.GoFileGenerator({ presets: [{ preset: modelina.GO_COMMON_PRESET, options: { addJsonTag: true } }] }),
    'main',
  ],
}

const [generator, packageName] = generators[language]()
const models = await generator.generateToFiles(readFileSync(document, 'utf8'), output, { packageName })
console.log(models.map(({ modelName }) => modelName).join('\n'))
