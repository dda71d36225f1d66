const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'console-theme'

/** The theme chosen in this browser. `system` if none was chosen, or if the browser does not allow storage. */
export const chosenTheme = (): Theme => {
  try {
    return themes.find((theme) => theme === localStorage.getItem(place)) ?? 'system'
  } catch {
    return 'system'
  }
}

/** The event that is sent to the window when colours have changed. */
export const themeEvent = 'console-theme'

export const showTheme = (theme: Theme): void => {
  document.documentElement.dataset.theme = theme
  window.dispatchEvent(new Event(themeEvent))
}

export const chooseTheme = (theme: Theme): void => {
  try {
    localStorage.setItem(place, theme)
  } catch {
    // Without storage the choice lasts until the page is closed.
  }
  showTheme(theme)
}

export const nextTheme = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
