import { findRunning } from './running.ts'
import type { Settings } from './settings.ts'

/** The broker of the configuration, or that of the bridge that runs on this DATA_DIR. */
export const kafkaOf = ({ kafka, dataDir }: Settings) => {
  if (kafka !== 'embedded') return kafka
  const brokers = findRunning(dataDir)?.brokers
  return brokers && { brokers, ssl: false }
}

/** The MongoDB of the configuration, or that of the bridge that runs on this DATA_DIR. */
export const mongoOf = ({ mongo, dataDir }: Settings) => {
  if (mongo !== 'embedded') return mongo
  const url = findRunning(dataDir)?.mongoUrl
  return url === undefined ? undefined : { url, database: 'livechat' }
}
