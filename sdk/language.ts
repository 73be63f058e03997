/**
 * The language of front ends (`display.language`), never that of the model. A text is written in English where it is
 * used and looked up by that English, so English needs no file. Plugin `language`.
 */

import { defineService, type ExtensionPoint, extensionPoint, type Ordered, type Service } from './declarations.ts'
import type { PluginContext, Registration } from './plugin.ts'

/** Values for the placeholders of a text. @since 0.2 */
export type MessageValues = Readonly<Record<string, string | number>>

/** Provided by the plugin `language`. @since 0.1 */
export interface Language {
  /** `en`, `zh-hant`, ... */
  readonly locale: string
  /** All there are, with the name of each in itself. */
  readonly locales: readonly { readonly locale: string; readonly label: string }[]
  /**
   * The text in the user's language, else as it is. It is an ICU message, see
   * https://unicode-org.github.io/icu/userguide/format_parse/messages/: `{count, plural, one {# file} other {# files}}`.
   */
  text(english: string, values?: MessageValues): string
  /** The locale for a name or tag: `de` for `de-AT` or `Deutsch`, `zh-hant` for `zh-TW`; undefined if unknown. */
  match(name: string): string | undefined
  /** Resolves once the texts of the locale that is set are there. */
  ready(): Promise<void>
  onChange(listener: () => void): Registration
}
export const Language: Service<Language> = defineService('language', { registers: ['onChange'], free: true })

/** Contributed to `TranslationSources` by plugins with their own texts. @since 0.2 */
export interface TranslationSource extends Ordered {
  /** The plugin's name. */
  readonly name: string
  /** From the English to that of a locale; undefined for one that it does not have. */
  texts(locale: string): Promise<Readonly<Record<string, string>> | undefined>
}
/** @since 0.2 */
export const TranslationSources: ExtensionPoint<TranslationSource> = extensionPoint(
  'translations',
  (translation) => translation.name,
)

/** Says a text in the user's language: see `Language.text`. @since 0.1 */
export type Translate = (english: string, values?: MessageValues) => string

/**
 * Translates the texts of a plugin; always named `t` and called with a literal, so that a test finds all
 * of them: `t('{count} sessions', { count })`. Its manifest names the service `language` as optional.
 * @since 0.2
 */
export function createTranslator(ctx: Pick<PluginContext<never>, 'find'>): Translate {
  return (english, values = {}) =>
    ctx.find(Language)?.text(english, values) ??
    english.replace(/\{(\w+)\}/g, (place, name: string) => String(values[name] ?? place))
}
