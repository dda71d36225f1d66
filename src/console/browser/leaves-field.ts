type Pressed = { readonly key: string; readonly isSearch: boolean; readonly isComposing: boolean }

/**
 * When a key that was pressed in a field leaves it. Escape leaves any field at once. Enter leaves the search, so that the
 * keys of the list work, but not before the key is up: until then the form must be sent. An Enter that ends the
 * composition of a character stays.
 */
export const leavesField = ({ key, isSearch, isComposing }: Pressed): 'at once' | 'key up' | 'never' => {
  if (key === 'Escape') return 'at once'
  return key === 'Enter' && isSearch && !isComposing ? 'key up' : 'never'
}
