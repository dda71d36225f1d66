/** How long the model takes for a chat, in ms: one in eight is slow. */
export const slowModelMs = (chatId: string): number => (isSlow(chatId) ? 9_000 : 2_500)
export const isSlow = (chatId: string): boolean => Number(chatId) % 8 === 0
