import type { Compared, Released } from '../../tools/publishing/operations.ts'
import type { PublishEvent } from '../../tools/publishing/registry.ts'
import type { Sampled, SampleEvent } from '../../tools/publishing/sample.ts'
import { createdLine } from './archive.ts'
import type { Line, Words } from './words.ts'

const comparedLines = ({ version, topics, schemas, newSchemas, breakingChanges }: Compared): ReadonlyArray<Line> =>
  breakingChanges.length === 0
    ? [`${topics} topics and ${schemas} schemas are compatible with ${version}, ${newSchemas} schemas are new.`]
    : [
        ...breakingChanges.map(
          ({ schema, path, change, breaks }) =>
            `${path === '' ? schema : `${schema}: ${path}`}: ${change}. It breaks ${breaks}.`,
        ),
        { err: `${breakingChanges.length} breaking changes since ${version}.` },
      ]

export const contractsCheckWords: Words<never, Compared> = { result: comparedLines }

export const contractsReleaseWords: Words<Compared, Released> = {
  event: comparedLines,
  result: (released) => (released.kind === 'refused' ? [] : [`contracts/released.json is ${released.version} now.`]),
}

export const contractsPublishWords: Words<PublishEvent, { readonly schemas: number }> = {
  event: ({ subject, id }) => [`${subject}  id ${id}`],
  result: ({ schemas }) => [`${schemas} schemas are in the registry.`],
}

export const sampleWords: Words<SampleEvent, Sampled> = {
  event: (event) => [createdLine(event)],
  result: ({ records, of, topic }) => [
    `${records} records, one of each type of ${of.join(', ')}, are in ${topic} now.`,
  ],
}
