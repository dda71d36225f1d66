/** What a bot remembers in a module of its own. */
export const heard: string[] = []
