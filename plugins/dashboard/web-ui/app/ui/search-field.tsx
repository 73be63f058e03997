/** A field whose words filter what is shown below it. */
import type { Signal } from '@preact/signals'
import { t } from '../client/language.ts'

export function SearchField({ words }: { readonly words: Signal<string> }) {
  return (
    <input
      class="input"
      type="search"
      aria-label={t('Search')}
      placeholder={t('Search')}
      value={words.value}
      onInput={(event) => {
        words.value = event.currentTarget.value
      }}
    />
  )
}
