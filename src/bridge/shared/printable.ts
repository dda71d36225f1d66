const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Makes foreign text safe for one line of a terminal: escapes control and direction characters, as in `\u001b`. */
export const printable = (text: string): string => text.replace(unsafe, escaped)

/** As `printable`, but keeps the line breaks. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')
