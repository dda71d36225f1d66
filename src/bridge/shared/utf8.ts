const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** The text of bytes, with the byte order mark if they begin with one. Undefined if they are not valid UTF-8. */
export const utf8Text = (bytes: Buffer): string | undefined => {
  try {
    return utf8.decode(bytes)
  } catch {
    return undefined
  }
}
