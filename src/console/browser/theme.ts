const themes = ['system', 'light', 'dark'] as const
export type Theme = (typeof themes)[number]

const place = 'console-theme'

/** The theme that was chosen in this browser; the system's where none was, or where nothing may be stored. */
export const chosenTheme = (): Theme => {
  try {
    return themes.find((theme) => theme === localStorage.getItem(place)) ?? 'system'
  } catch {
    return 'system'
  }
}

/** Told to the window when colours have changed. */
export const themeEvent = 'console-theme'

export const showTheme = (theme: Theme): void => {
  document.documentElement.dataset.theme = theme
  window.dispatchEvent(new Event(themeEvent))
}

export const chooseTheme = (theme: Theme): void => {
  try {
    localStorage.setItem(place, theme)
  } catch {
    // The choice lasts until the page is left.
  }
  showTheme(theme)
}

export const nextTheme = (theme: Theme): Theme => themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system'
