/** The texts of the web UI and their tables, one for each language and Arabic. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { locales } from '../../plugins/configuration/language/locales.ts'
import { root } from './repository.ts'

/** As the build collects them. */
export async function listWebTexts(): Promise<readonly string[]> {
  const build = (await import(join(root, '.ci/web-ui.mjs'))) as { listTexts(): ReadonlySet<string> }
  return [...build.listTexts()].sort()
}

export function listWebLocales(): readonly string[] {
  return [...locales.map(({ locale }) => locale as string).filter((locale) => locale !== 'en'), 'ar']
}

export function webTableFile(locale: string): string {
  return join(root, 'plugins/dashboard/web-ui/app/locales', `${locale}.json`)
}

/** Empty for a language that has none. */
export function readWebTable(locale: string): Readonly<Record<string, string>> {
  const file = webTableFile(locale)
  return existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {}
}
