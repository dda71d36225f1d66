import { instead } from './instead.ts'

export const erasures = {
  'the data key of what is erased is destroyed': [
    instead(
      () => import('../../../../src/bridge/mongo/archive-keys.ts'),
      ({ archiveKeysIn }) => ({ archiveKeysIn: (db) => ({ ...archiveKeysIn(db), destroy: async () => {} }) }),
    ),
  ],
  'every view is emptied at a marker': [
    instead(
      () => import('../../../../src/bridge/views/changes.ts'),
      ({ changesOf }) => ({
        changesOf: (record, decoded) =>
          changesOf(record, decoded).filter(({ view, where }) => view !== 'calls' || where === undefined),
      }),
    ),
  ],
  'what was received before an erasure is stored without its person': [
    instead(
      () => import('../../../../src/bridge/domain/person/erased.ts'),
      () => ({ erasedFinder: () => async () => new Set() }),
    ),
  ],
  'the markers of the archive are applied after a restore': [
    instead(
      () => import('../../../../src/bridge/privacy/missed/missed-erasures.ts'),
      ({ missedErasures }) => ({
        missedErasures: (deps) => ({
          ...missedErasures(deps),
          applyToViews: async () => {},
          apply: async () => {},
        }),
      }),
    ),
  ],
}
