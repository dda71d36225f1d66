const unsafe = /[\p{Cc}\u202a-\u202e\u2066-\u2069]/gu
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Text of others on one line of a terminal: what would steer the terminal, or turn its text around, is written as `\u001b`. */
export const printable = (text: string): string => text.replace(unsafe, escaped)

/** The same with its own line breaks. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')
