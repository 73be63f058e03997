/** How tables of languages are completed; with `SVC_LOCALES` set by `run.mjs`, all of them are. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { loadLocaleTable, locales } from '../../plugins/configuration/language/locales.ts'
import { allTexts } from '../plugins/configuration/language/collected.ts'
import { root } from '../support/repository.ts'
import { listWebLocales, listWebTexts, readWebTable, webTableFile } from '../support/web-locales.ts'
import { complete, type Table } from './completion.ts'

const { SVC_LOCALES: mode, SVC_LOCALES_DIR: folder } = process.env

test('a text without a translation is named, and one that nothing shows is removed', () => {
  const { table, missing, removed } = complete(['Yes', 'No'], { Yes: 'Ja', Perhaps: 'Vielleicht' })
  expect({ table, missing, removed }).toEqual({ table: { Yes: 'Ja' }, missing: ['No'], removed: ['Perhaps'] })
})

test('a text without words is the same in every language', () => {
  const texts = ['{a}: {b}', '`svc` /help', '12 %', '{n, number} files']
  expect(complete(texts, {}).derived).toEqual(texts.slice(0, 3))
})

test('a translation follows its text when only the mark at the end changed', () => {
  expect(complete(['Written.'], { Written: 'Geschrieben' }).table).toEqual({ 'Written.': 'Geschrieben.' })
  expect(complete(['Written'], { 'Written.': 'Geschrieben.' }).table).toEqual({ Written: 'Geschrieben' })
  expect(complete(['Written'], { 'Written.': '已写入。' }).missing).toEqual(['Written'])
  expect(complete(['Written:'], { Written: 'Geschrieben!' }).missing).toEqual(['Written:'])
})

test('what translators return is taken, unless it is empty', () => {
  const { table, missing } = complete(['Yes', 'No'], { Old: 'Alt' }, { Yes: 'Ja', No: ' ', Other: 'Anderes' })
  expect({ table, missing }).toEqual({ table: { Yes: 'Ja' }, missing: ['No'] })
})

test('the order is that of UTF-16 code units, whatever the order in the sources', () => {
  expect(Object.keys(complete(['b', 'a', 'B'], { a: '1', b: '2', B: '3' }).table)).toEqual(['B', 'a', 'b'])
})

test.runIf(mode)('the tables of all languages', { timeout: 600_000 }, async () => {
  const english = [...(await allTexts()).keys()]
  const web = await listWebTexts()
  let lacking = 0
  for (const { locale } of locales.filter((each) => each.locale !== 'en')) {
    const file = join(root, 'plugins/configuration/language/locales', `${locale}.json`)
    lacking += bring({ name: locale, file, english, present: await loadLocaleTable(locale) })
  }
  for (const locale of listWebLocales()) {
    // What the terminal has as well is translated there.
    const shared = locale === 'ar' ? {} : await loadLocaleTable(locale)
    const own = web.filter((text) => !Object.hasOwn(shared, text))
    lacking += bring({ name: `web-${locale}`, file: webTableFile(locale), english: own, present: readWebTable(locale) })
  }
  if (mode === 'check') expect(lacking, 'translations are missing: npm run locales').toBe(0)
})

interface TableToBring {
  readonly name: string
  readonly file: string
  readonly english: readonly string[]
  readonly present: Table
}

/** Returns how many translations are missing. */
function bring({ name, file, english, present }: TableToBring): number {
  const done = complete(english, present, mode === 'write' ? givenFor(name) : {})
  console.log(formatReport(name, done))
  if (mode === 'write') {
    write(file, done.table)
    if (folder) write(join(folder, `${name}.json`), Object.fromEntries(done.missing.map((text) => [text, ''])))
  } else {
    const stale = [...done.removed, ...done.derived]
    expect(stale, 'npm run locales brings these up to date').toEqual([])
  }
  return done.missing.length
}

function givenFor(locale: string): Record<string, string> {
  const file = folder && join(folder, `${locale}.json`)
  return file && existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Record<string, string>) : {}
}

function formatReport(locale: string, { missing, removed, derived }: ReturnType<typeof complete>): string {
  const counts = [`${missing.length} missing`, `${derived.length} derived`, `${removed.length} unused`]
  return [`${locale}: ${counts.join(', ')}`, ...missing.map((text) => `  ${JSON.stringify(text)}`)].join('\n')
}

function write(file: string, table: object): void {
  mkdirSync(join(file, '..'), { recursive: true })
  writeFileSync(file, `${JSON.stringify(table, undefined, 2)}\n`)
}
