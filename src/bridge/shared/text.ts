const unsafe = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu
const escaped = (character: string) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Makes foreign text safe for one line of a terminal: escapes control and direction characters, as in `\u001b`. */
export const printable = (text: string): string => text.replace(unsafe, escaped)

/** As `printable`, but keeps the line breaks. */
export const printableLines = (text: string): string => text.split('\n').map(printable).join('\n')

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Text that HTML and XML show as it is, also in an attribute. */
export const escapeMarkup = (text: string): string => text.replace(/[&<>"']/g, (sign) => entities[sign] ?? '')

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of bytes, with the byte order mark if they begin with one. Undefined if they are not valid UTF-8. */
export const utf8Text = (bytes: Uint8Array): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}

/** The text without percent-encoding. Undefined if it is not valid. */
export const percentDecoded = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
