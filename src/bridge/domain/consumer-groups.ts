// The consumer groups of the roles. Their names are fixed: the broker keeps their offsets under them.

/** Writes the views. Its committed offsets say how far the views have read. */
export const viewsGroup = 'projector'
/** Stores the enrichments. */
export const enrichmentsGroup = 'enrichments'
/** Posts replies of bots to the service. */
export const egressGroup = 'egress'
/** Copies events into the archive. What it has committed is in the archive. */
export const archiverGroup = 'archiver'
/** Keeps the keys with an enrichment in the memory of each process. It commits nothing. */
export const enrichedKeysGroup = 'enriched-keys'

/** The groups that commit offsets. */
export const committingGroups = [viewsGroup, enrichmentsGroup, egressGroup, archiverGroup] as const
export type CommittingGroup = (typeof committingGroups)[number]
