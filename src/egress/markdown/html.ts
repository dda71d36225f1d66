const attribute = String.raw`\s+[A-Za-z_:][\w.:-]*(\s*=\s*([^\s"'=<>\x60]+|'[^']*'|"[^"]*"))?`
const openTag = String.raw`<[A-Za-z][A-Za-z\d-]*(${attribute})*\s*/?>`
const closingTag = String.raw`</[A-Za-z][A-Za-z\d-]*\s*>`
const other = String.raw`<!--|<\?[^<>]*\?>|<![A-Za-z][^<>]*>|<!\[CDATA\[`

const inline = new RegExp(`${openTag}|${closingTag}|${other}`)
const wholeLineTag = new RegExp(`^ {0,3}(${openTag}|${closingTag})[ \\t]*$`)

const blockNames =
  'address|article|aside|base|basefont|blockquote|body|caption|center|col|colgroup|dd|details|dialog|dir|div|dl|dt|' +
  'fieldset|figcaption|figure|footer|form|frame|frameset|h[1-6]|head|header|hr|html|iframe|legend|li|link|main|menu|' +
  'menuitem|nav|noframes|ol|optgroup|option|p|param|search|section|summary|table|tbody|td|tfoot|th|thead|title|tr|track|ul'
const blockTag = new RegExp(
  `^ {0,3}<(/?(${blockNames})(\\s|/?>|$)|(script|pre|style|textarea)(\\s|>|$)|!--|\\?|![A-Z])`,
  'i',
)

/** Whether a line begins a block of HTML (CommonMark 0.31, 4.6). */
export const beginsHtmlBlock = (line: string, inParagraph: boolean): boolean =>
  blockTag.test(line) || (!inParagraph && wholeLineTag.test(line))

/** Whether HTML stands within a text (CommonMark 0.31, 6.6). */
export const hasInlineHtml = (text: string): boolean => inline.test(text)
