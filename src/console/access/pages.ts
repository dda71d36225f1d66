import { escapeMarkup } from '../../bridge/shared/text.ts'

export type Page = {
  readonly status: number
  readonly html: string
  readonly headers?: Readonly<Record<string, string>>
}

/** A page that needs no script: a title, paragraphs, and HTML that consists of escaped text only. */
const page = (styleSheet: string, status: number, title: string, words: ReadonlyArray<string>, html = ''): Page => ({
  status,
  html: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeMarkup(title)}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${styleSheet}">
</head>
<body>
<main class="sign-in">
<h1>${escapeMarkup(title)}</h1>
${[...words.map((text) => `<p>${escapeMarkup(text)}</p>`), html].join('\n')}
</main>
</body>
</html>
`,
})

const link = (href: string, text: string) => `<p><a href="${escapeMarkup(href)}">${escapeMarkup(text)}</a></p>`
const askAgain = 'npx livechat-bridge console link prints a new one, on the machine of the bridge.'

export const pagesAt = (basePath: string, styleSheet: string) => {
  const make = (status: number, title: string, words: ReadonlyArray<string>, html = '') =>
    page(styleSheet, status, title, words, html)
  const again = link(`${basePath}/sign-in`, 'Sign in again')
  return {
    /** A page with a button, so that a program that only opens the link does not use it up. */
    confirmLink: (token: string) =>
      make(
        200,
        'Sign in',
        ['This link signs you in once, with every role.'],
        `<form method="post" action="${basePath}/sign-in"><input type="hidden" name="token" value="${escapeMarkup(token)}"><button class="primary">Sign in</button></form>`,
      ),
    choose: (issuer: string | undefined, next: string) =>
      issuer === undefined
        ? make(200, 'Sign in', ['The console is opened with a sign-in link.', askAgain])
        : make(
            200,
            'Sign in',
            [],
            link(`${basePath}/sign-in/start?next=${encodeURIComponent(next)}`, `Sign in with ${new URL(issuer).host}`),
          ),
    linkUsedUp: make(403, 'This link cannot be used', [
      'A sign-in link works once, for ten minutes, and only on the machine of the bridge.',
      askAgain,
    ]),
    noGrant: (groups: ReadonlyArray<string>, claim: string) =>
      make(
        403,
        'You have no role here',
        [
          'You are known, but none of your groups has a role. The accounts file gives roles to groups, by console.grants.',
          groups.length === 0
            ? `The identity provider sent no groups. It must send them in the claim “${claim}”, which CONSOLE_OIDC_GROUPS_CLAIM names.`
            : `The identity provider sent these groups: ${groups.join(', ')}.`,
        ],
        again,
      ),
    tooManyGroups: (claim: string) =>
      make(
        403,
        'You have too many groups',
        [
          `The identity provider left the claim “${claim}” out, because you have more groups than a token can have.`,
          'Whoever manages the identity provider can let it send only the groups that are assigned to this application, or send roles of the application: then CONSOLE_OIDC_GROUPS_CLAIM is “roles”, and console.grants names roles.',
        ],
        again,
      ),
    expired: make(400, 'This sign-in has ended', ['It took longer than ten minutes, or was already used.'], again),
    refused: (why: string) =>
      make(403, 'You are not signed in', [`What the identity provider answered cannot be accepted: ${why}.`], again),
    unavailable: (why: string) => ({
      ...make(503, 'Nobody can sign in now', [`The sign-in at the identity provider does not work: ${why}.`], again),
      headers: { 'Retry-After': '5' },
    }),
    databaseUnavailable: {
      ...make(503, 'The console cannot be used now', [
        'MongoDB does not respond, so sessions cannot be read. Try again soon.',
      ]),
      headers: { 'Retry-After': '5' },
    },
    tooMany: {
      ...make(429, 'Too many sign-ins have failed', ['Wait for a minute, and try again.']),
      headers: { 'Retry-After': '60' },
    },
  }
}
