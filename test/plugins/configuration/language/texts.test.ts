import { PluginFailed } from 'svc/sdk/hooks'
import { Language, type PluginProblem, type TranslationSource, TranslationSources } from 'svc/sdk/host'
import { Display } from 'svc/sdk/terminal'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test, vi } from 'vitest'
import { LocalTexts } from '../../../../plugins/configuration/language/texts.ts'

/** A kernel whose display asks for a language, and a plugin with its own texts. */
async function open(language: string, own?: TranslationSource['texts']) {
  const problems: PluginProblem[] = []
  const kernel = await testKernel({
    plugins: ['language', 'others'],
    config: { display: { language } },
    with: [
      {
        name: 'others',
        contributes: { translations: own ? ['others'] : [] },
        setup: (ctx) => {
          ctx.on(PluginFailed, (problem) => void problems.push(problem))
          if (own) ctx.add(TranslationSources, { name: 'others', texts: own })
        },
      },
    ],
  })
  onTestFinished(() => kernel.stop())
  return { kernel, problems, language: () => kernel.use(Language) }
}

/** Without a kernel: texts of one translation, and what was reported. */
async function speak(locale: string, translation: Readonly<Record<string, string>>) {
  const problems: string[] = []
  const texts = new LocalTexts({
    translations: () => [{ name: 'mine', texts: async () => translation }],
    report: (problem) => void problems.push(problem.message),
  })
  await texts.speak(locale)
  return { texts, problems }
}

test('English needs no table: a text is said as it stands, filled in', async () => {
  const { language } = await open('en')
  expect(language().locale).toBe('en')
  expect(language().text('Nothing to fill')).toBe('Nothing to fill')
  const said = [0, 1, 2].map((count) => language().text('{count, plural, one {# file} other {# files}}', { count }))
  expect(said).toEqual(['0 files', '1 file', '2 files'])
})

test('the texts are there once the program has started, and what has none is said in English', async () => {
  const { language } = await open('de-CH')
  expect(language().locale).toBe('de')
  expect(language().text('Language')).toBe('Sprache')
  expect(language().text('Did you mean {value}?', { value: 'x' })).toBe('Meintest du x?')
  expect(language().text('Nobody translated {value}', { value: 'this' })).toBe('Nobody translated this')
  expect(language().text('constructor')).toBe('constructor')
})

test('a language that does not exist is English, with a notice that names those there are', async () => {
  const { language, problems } = await open('klingon')
  expect(language().locale).toBe('en')
  expect(problems).toHaveLength(1)
  expect(problems[0]).toMatchObject({ plugin: 'language', code: 'LANGUAGE_UNKNOWN' })
  expect(problems[0]?.message).toMatch(/"klingon".*af \(Afrikaans\).*zh-hant \(繁體中文\)/)
})

test('the language follows the display, and anyone who listens is told when the new texts are there', async () => {
  const { kernel, language } = await open('en')
  const told: string[] = []
  const leave = language().onChange(() => void told.push(language().text('Language')))
  await kernel.use(Display).set('language', 'fr', 'now')
  await language().ready()
  expect(told).toEqual(['Langue'])
  await kernel.use(Display).set('timestamps', true, 'now')
  expect(told).toHaveLength(1)
  await leave()
  await kernel.use(Display).set('language', 'ja', 'now')
  await language().ready()
  expect(language().text('Language')).toBe('言語')
  expect(told).toHaveLength(1)
})

test('the language follows the next generation of the display, too', async () => {
  const { kernel, language } = await open('fr')
  await kernel.plugins.reload('display')
  await kernel.use(Display).set('language', 'it', 'now')
  await language().ready()
  expect(language().text('Language')).toBe('Lingua')
  await kernel.plugins.disable('display')
  await vi.waitFor(() => expect(language().locale).toBe('en'))
})

test('of two languages that are asked for at once the later one is spoken', async () => {
  const answers: (() => void)[] = []
  const texts = new LocalTexts({
    translations: () => [
      { name: 'slow', texts: (locale) => new Promise((done) => answers.push(() => done({ a: locale }))) },
    ],
    report: () => {},
  })
  const [german, french] = [texts.speak('de'), texts.speak('fr')]
  answers[1]?.()
  await french
  answers[0]?.()
  await german
  expect([texts.locale, texts.text('a')]).toEqual(['fr', 'fr'])
})

test('plugins bring their own texts, but do not change what svc says', async () => {
  const { language } = await open('de', async (locale) => {
    return locale === 'de' ? { 'A frog': 'Ein Frosch', Language: 'Gerede' } : undefined
  })
  expect(language().text('A frog')).toBe('Ein Frosch')
  expect(language().text('Language')).toBe('Sprache')
})

test('a plugin whose texts cannot be read is reported, and the others are there', async () => {
  const { language, problems } = await open('de', async () => {
    throw new Error('no disk')
  })
  expect(language().text('Language')).toBe('Sprache')
  expect(problems.map(({ message }) => message)).toEqual(['The texts of others cannot be read: no disk'])
})

test('a bad translation is reported once, and the English said', async () => {
  const { texts, problems } = await speak('de', { '{n} frogs': '{n Frösche' })
  expect([1, 2].map((n) => texts.text('{n} frogs', { n }))).toEqual(['1 frogs', '2 frogs'])
  expect(problems).toHaveLength(1)
  expect(texts.text('{n bad', { n: 1 })).toBe('{n bad')
  expect(problems).toHaveLength(2)
})

test('numbers and plurals are those of the language', async () => {
  const { texts } = await speak('uk', {
    '{n, plural, one {# file} other {# files}}':
      '{n, plural, one {# файл} few {# файли} many {# файлів} other {# файлу}}',
  })
  const said = [1, 3, 5, 21, 12_000].map((n) => texts.text('{n, plural, one {# file} other {# files}}', { n }))
  expect(said).toEqual(['1 файл', '3 файли', '5 файлів', '21 файл', `${(12_000).toLocaleString('uk')} файлів`])
})
