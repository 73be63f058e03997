/** The available languages, and which one a name or tag means. */

/** Each with its name in itself, and its texts; those of English are in the sources. */
const all = {
  af: { label: 'Afrikaans', table: () => import('./locales/af.json', { with: { type: 'json' } }) },
  de: { label: 'Deutsch', table: () => import('./locales/de.json', { with: { type: 'json' } }) },
  en: { label: 'English' },
  es: { label: 'Español', table: () => import('./locales/es.json', { with: { type: 'json' } }) },
  fr: { label: 'Français', table: () => import('./locales/fr.json', { with: { type: 'json' } }) },
  ga: { label: 'Gaeilge', table: () => import('./locales/ga.json', { with: { type: 'json' } }) },
  hu: { label: 'Magyar', table: () => import('./locales/hu.json', { with: { type: 'json' } }) },
  it: { label: 'Italiano', table: () => import('./locales/it.json', { with: { type: 'json' } }) },
  ja: { label: '日本語', table: () => import('./locales/ja.json', { with: { type: 'json' } }) },
  ko: { label: '한국어', table: () => import('./locales/ko.json', { with: { type: 'json' } }) },
  pt: { label: 'Português', table: () => import('./locales/pt.json', { with: { type: 'json' } }) },
  ru: { label: 'Русский', table: () => import('./locales/ru.json', { with: { type: 'json' } }) },
  tr: { label: 'Türkçe', table: () => import('./locales/tr.json', { with: { type: 'json' } }) },
  uk: { label: 'Українська', table: () => import('./locales/uk.json', { with: { type: 'json' } }) },
  zh: { label: '简体中文', table: () => import('./locales/zh.json', { with: { type: 'json' } }) },
  'zh-hant': { label: '繁體中文', table: () => import('./locales/zh-hant.json', { with: { type: 'json' } }) },
} satisfies Readonly<
  Record<string, { readonly label: string; readonly table?: () => Promise<{ readonly default: Texts }> }>
>

/** From the English to that of a locale. */
export type Texts = Readonly<Record<string, string>>

/** Contract: `Language.locales`. */
export const locales: readonly { readonly locale: string; readonly label: string }[] = Object.entries(all).map(
  ([locale, { label }]) => ({ locale, label }),
)

/** The texts that svc brings for one of `locales`; none for English. */
export async function loadLocaleTable(locale: string): Promise<Texts> {
  const found = Object.entries(all).find(([name]) => name === locale)?.[1]
  return found && 'table' in found ? (await found.table()).default : {}
}

/** Contract: `Language.match`. Takes what operating systems write, too: `pt_BR.UTF-8`. */
export function matchLocale(name: string): string | undefined {
  const typed = name.trim().toLowerCase()
  const [tag = ''] = typed.replaceAll('_', '-').split(/[.@]/)
  const [base = '', ...more] = tag.split('-')
  if (base === 'zh') return more.some((part) => /^(hant|tw|hk|mo)$/.test(part)) ? 'zh-hant' : 'zh'
  const byTag = locales.find(({ locale }) => locale === base && /^[a-z]+(-[a-z0-9]+)*$/.test(tag))
  const byLabel = byTag ?? locales.find(({ label }) => label.toLowerCase() === typed)
  // Last, because reading all names of languages takes 20 ms.
  const found = byLabel ?? locales.find(({ locale }) => englishName(locale).toLowerCase() === typed)
  return found?.locale
}

function englishName(locale: string): string {
  return new Intl.DisplayNames(['en'], { type: 'language' }).of(locale) ?? locale
}
