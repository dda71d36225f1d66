/** `chats/3`: a partition in `applied` of a document, in maps, logs and messages. */
export const partitionName = ({ topic, partition }: { readonly topic: string; readonly partition: number }): string =>
  `${topic}/${partition}`
