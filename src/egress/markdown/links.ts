/** The part of an inline link after its text: `](destination "title")`. Bounds keep the matching linear. */
export const target =
  String.raw`\]\(\s{0,9}(?:<[^<>\n]*>|(?!<)[^\s()]*(?:\([^\s()]*\)[^\s()]*)*)` +
  String.raw`(?:\s{1,9}(?:"[^"]*"|'[^']*'|\([^()]*\)))?\s{0,9}\)`

/** `<https://…>` and `<name@host>`. */
export const autolink = /<([A-Za-z][A-Za-z\d+.-]{1,31}:[^\s<>]*|[\w.+-]+@[\w-]+(?:\.[\w-]+)*)>/g
