/** The consumer group that writes the views. Its committed offsets say how far the views have read. */
export const viewsGroup = 'projector'
