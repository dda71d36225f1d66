import { escapeMarkup } from '../../../bridge/shared/text.ts'

/** Text for XML and HTML. Characters that XML does not have are left out. */
export const escaped = (text: string): string =>
  escapeMarkup(
    text
      .toWellFormed()
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is meant
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, ''),
  )
