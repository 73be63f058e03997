import { eastAsianWidth } from 'get-east-asian-width'
import { expect, test } from 'vitest'
import { loadLocaleTable, locales, matchLocale } from '../../../../plugins/configuration/language/locales.ts'
import {
  formatMessage,
  type MessageChoice,
  type MessagePart,
  parseMessage,
} from '../../../../plugins/configuration/language/message.ts'
import { filesBelow, read } from '../../../support/repository.ts'
import { listWebLocales, readWebTable } from '../../../support/web-locales.ts'
import { allTexts, sourcesOfPlugins, spoken } from './collected.ts'

const english = await allTexts()
const translated = locales.map(({ locale }) => locale).filter((locale) => locale !== 'en')
const tables = new Map(
  await Promise.all(translated.map(async (locale) => [locale, await loadLocaleTable(locale)] as const)),
)

function entries(locale: string): [english: string, text: string][] {
  return Object.entries(tables.get(locale) ?? {})
}

test('there are sixteen languages, each with its name in itself and its own file', () => {
  expect(locales.map(({ locale }) => locale).join(' ')).toBe('af de en es fr ga hu it ja ko pt ru tr uk zh zh-hant')
  expect(new Set(locales.map(({ label }) => label)).size).toBe(16)
  expect(filesBelow('plugins/configuration/language/locales').sort()).toEqual(
    translated.map((locale) => `plugins/configuration/language/locales/${locale}.json`).sort(),
  )
})

test('every text is written out where it is said, so that it can be looked up', () => {
  expect(sourcesOfPlugins().flatMap((file) => spoken(file).strays)).toEqual([])
})

test('texts are found in every way to say one', () => {
  const found = spoken(
    'plugins/x/x.ts',
    `
    t('one'); desk.t('two', { a: 1 }); t(many ? 'three' : few ? \`four\` : other)
    language.text('five'); text('zod'); response.text(); prompt.text(turn); t(command.description)
    at('six'); t(\`\${count} seven\`); t('eight' + nine)
    class X { #t; #text; say() { this.#t('ten'); this.#t(eleven + 'a'); this.#text('twelve') } }`,
  )
  expect(found.texts.map(({ text }) => text)).toEqual(['one', 'two', 'three', 'four', 'five', 'ten'])
  expect(found.strays).toEqual(['plugins/x/x.ts:4', 'plugins/x/x.ts:4', 'plugins/x/x.ts:5'])
})

test('every English text is a message, with plurals as English has them', () => {
  const wrong = [...english].flatMap(([text, where]) => {
    return [...messageFaults('en', text), ...textFaults(text)].map((fault) => `${where}: ${text}: ${fault}`)
  })
  expect(wrong).toEqual([])
})

test.for(translated)('the texts of %s stand in the order of the alphabet, each once', (locale) => {
  const file = read(`plugins/configuration/language/locales/${locale}.json`)
  const keys = [...file.matchAll(/^ {2}("(?:[^"\\]|\\.)*"):/gm)].map(([, key = '""']) => JSON.parse(key) as string)
  expect(keys).toEqual([...new Set(keys)].sort())
  expect(keys).toHaveLength(entries(locale).length)
})

test.for(translated)('the texts of %s have the places, plurals, code and commands of the English', (locale) => {
  const wrong = entries(locale).flatMap(([text, translation]) => {
    const faults = [...messageFaults(locale, translation), ...textFaults(translation)]
    if (faults.length === 0) faults.push(...differences(text, translation))
    return faults.map((fault) => `${text} → ${translation}: ${fault}`)
  })
  expect(wrong).toEqual([])
})

test.for(translated)('the texts of %s fit where the English fits', (locale) => {
  const wide = entries(locale).flatMap(([text, translation]) => {
    const [here, there] = [cells(filled('en', text)), cells(filled(locale, translation))]
    return there > here * 2.5 + 8 ? [`${text} (${here}) → ${translation} (${there})`] : []
  })
  expect(wide).toEqual([])
})

test.for(listWebLocales())(
  'the texts of the web UI in %s have the places, plurals and commands of the English',
  async (locale) => {
    const table = Object.entries(readWebTable(locale))
    expect(table.length).toBeGreaterThan(400)
    const wrong = table.flatMap(([text, translation]) => {
      const faults = [...messageFaults(locale, translation), ...textFaults(translation)]
      if (faults.length === 0) faults.push(...differences(text, translation))
      return faults.map((fault) => `${text} → ${translation}: ${fault}`)
    })
    expect(wrong).toEqual([])
  },
)

test.for([
  ['de', 'de'],
  ['DE', 'de'],
  ['de-AT', 'de'],
  ['de_CH.UTF-8', 'de'],
  ['Deutsch', 'de'],
  ['german', 'de'],
  ['pt-BR', 'pt'],
  ['zh', 'zh'],
  ['zh-CN', 'zh'],
  ['zh-Hans-SG', 'zh'],
  ['zh-TW', 'zh-hant'],
  ['zh_HK', 'zh-hant'],
  ['zh-Hant', 'zh-hant'],
  ['繁體中文', 'zh-hant'],
  ['en-GB', 'en'],
  ['klingon', undefined],
  ['dexx', undefined],
  ['', undefined],
  ['../de', undefined],
  ['constructor', undefined],
] as const)('someone who asks for "%s" means %s', ([name, locale]) => {
  expect(matchLocale(name)).toBe(locale)
})

test('a plural that a language needs and lacks, or has and does not know, is found', () => {
  expect(messageFaults('ru', '{n, plural, one {#} other {#}}')).toEqual([
    'n lacks the plural few',
    'n lacks the plural many',
  ])
  expect(messageFaults('ja', '{n, plural, one {#} other {#}}')).toEqual(['n has the plural one, which ja does not'])
  expect(differences('{a} `x` /new', '{b} `y` /neu')).toHaveLength(3)
  expect(textFaults('a\u202e')).toHaveLength(1)
  expect(differences('a: ', 'b:')).toHaveLength(1)
})

/** What is wrong with a message by itself. */
function messageFaults(locale: string, message: string): string[] {
  try {
    return listChoices(parseMessage(message)).flatMap((choice) => pluralFaults(locale, choice))
  } catch (error) {
    return [(error as Error).message]
  }
}

function pluralFaults(locale: string, { kind, name, cases }: MessageChoice): string[] {
  if (kind === 'select') return []
  const rules = new Intl.PluralRules(locale, { type: kind === 'plural' ? 'cardinal' : 'ordinal' })
  // Categories of millions or fractions only may be left out: they are like the others.
  const needed = new Set(Array.from({ length: 201 }, (_, count) => rules.select(count)))
  const valid: readonly string[] = rules.resolvedOptions().pluralCategories
  const own = [...cases.keys()].filter((each) => !each.startsWith('='))
  return [
    ...[...needed].filter((each) => !own.includes(each)).map((each) => `${name} lacks the plural ${each}`),
    ...own
      .filter((each) => each !== 'other' && !valid.includes(each))
      .map((each) => `${name} has the plural ${each}, which ${locale} does not`),
  ].sort()
}

function listChoices(parts: readonly MessagePart[]): MessageChoice[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string' || !('cases' in part)) return []
    return [part, ...[...part.cases.values()].flatMap(listChoices)]
  })
}

/** What does not belong into a text of an interface. */
function textFaults(text: string): string[] {
  return [
    ...(text.trim() === '' ? ['it is empty'] : []),
    ...(/[\p{Cc}\p{Cf}\p{Co}\p{Cn}\p{Zl}\p{Zp}\ufffd]/u.test(text.replaceAll('\n', ''))
      ? ['it has control characters']
      : []),
  ]
}

/** What the English has and the translation has not, or the other way round. */
function differences(text: string, translation: string): string[] {
  const facts: readonly (readonly [string, (message: string) => string[]])[] = [
    ['the places', (message) => listNames(parseMessage(message))],
    ['the choices', listSelects],
    ['the code', (message) => message.match(/`[^`]*`/g) ?? []],
    ['the commands', (message) => message.match(/(?<![\p{L}\p{N}/`])\/[a-z][a-z-]*/gu) ?? []],
    ['the lines', (message) => message.match(/\n/g) ?? []],
    ['the spaces around it', (message) => [JSON.stringify(message.replace(/\S[\s\S]*\S|\S/, '…'))]],
  ]
  return facts.flatMap(([what, of]) => {
    const [here, there] = [of(text), of(translation)].map((list) => [...new Set(list)].sort().join(' '))
    return here === there ? [] : [`${what} are not the same: ${here} → ${there}`]
  })
}

function listNames(parts: readonly MessagePart[]): string[] {
  return parts.flatMap((part) => {
    if (typeof part === 'string' || part.kind === 'count') return []
    return 'cases' in part ? [part.name, ...[...part.cases.values()].flatMap(listNames)] : [part.name]
  })
}

/** Whether a number needs a plural is up to the language, which cases there are is not. */
function listSelects(message: string): string[] {
  return listChoices(parseMessage(message))
    .filter(({ kind }) => kind === 'select')
    .map(({ name, cases }) => `${name} ${[...cases.keys()].sort().join('|')}`)
}

function filled(locale: string, message: string): string {
  const names = listNames(parseMessage(message))
  return formatMessage(locale, message, Object.fromEntries(names.map((name) => [name, 2])))
}

function cells(text: string): number {
  return [...text].reduce((sum, char) => {
    return sum + (/\p{M}/u.test(char) ? 0 : eastAsianWidth(char.codePointAt(0) ?? 0))
  }, 0)
}
