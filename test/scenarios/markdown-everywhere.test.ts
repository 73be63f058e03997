/** Generated documents for every platform: what people see there says what the document says. */
import fc from 'fast-check'
import { Gateway, MessageFormatter, Platforms } from 'svc/sdk/platform'
import { testKernel } from 'svc/sdk/testing'
import { Http } from 'svc/sdk/web'
import { describe, expect, onTestFinished, test } from 'vitest'
import { markdownDocuments, type Written } from '../support/markdown-documents.ts'
import { type StandInCase, standInCases } from '../support/stand-ins.ts'
import { isToday } from '../support/today.ts'

/** A thousand with `DOCS=1000`; that takes minutes, so there are fewer of them unless it is asked for. */
const documents = fc.sample(markdownDocuments, { numRuns: Number(process.env['DOCS'] ?? 100), seed: 5 })
/** A third of the services a day; all of them with `SVC_FAULTS=all`. */
const PARTS = 6
const services = standInCases.filter((_, index) => isToday(index, PARTS))
const ntfy = standInCases.filter(({ label }) => label === 'ntfy')
/** So many are sent before it is looked at what arrived. */
const BATCH = 250

/**
 * These have no way to escape a mark. A sign that a document means as a word may be taken for the partner of a mark there, so
 * that signs do not count in such a document; words do.
 */
const unescapable = ['googlechat', 'slack', 'whatsapp']
const signs = ['*', '_', '~']
const hasSigns = ({ words }: Written) => words.some((word) => signs.includes(word))

/** Marks of blocks, addresses that are said behind their words, invisible characters and blanks are no words. */
function bare(text: string): string {
  return text
    .replace(/^[ \t]*(?:(?:[>•☐☑]|-(?= ))[ \t]*)+/gm, '')
    .replace(/[\s\u200b\u2060\ufeff]/g, '')
    .replace(/\(https:\/\/x\.example\/\d+\)/g, '')
    .replace(/[─·—]/g, '')
    .replaceAll('ˋ', '`')
}

/** Lines of IRC say by backticks what is code. */
const withoutCodeMarks = (text: string) => text.replace(/^.*?```\S*$/gm, '').replaceAll('`', '')
const withoutSigns = (text: string) => bare(text).replace(/[*_~]/g, '')

/** Documents that are compared in one way, in batches. */
function batchesFor(name: string): { readonly batch: readonly Written[]; readonly shown: typeof bare }[] {
  const areLoose = (document: Written) => unescapable.includes(name) && hasSigns(document)
  const inBatches = (all: readonly Written[], shown: typeof bare) =>
    Array.from({ length: Math.ceil(all.length / BATCH) }, (_, at) => {
      return { batch: all.slice(at * BATCH, (at + 1) * BATCH), shown }
    })
  const strict = documents.filter((document) => !areLoose(document))
  const meant = (shown: typeof bare) => (name === 'irc' ? (text: string) => shown(withoutCodeMarks(text)) : shown)
  return [...inBatches(strict, meant(bare)), ...inBatches(documents.filter(areLoose), meant(withoutSigns))]
}

async function open({ platform: name, open: openStandIn }: StandInCase, settings: object) {
  const fake = await openStandIn()
  onTestFinished(() => fake.close())
  const everybody = { dm_policy: 'open', group_policy: 'open', allow_all: true, enabled: true }
  const kernel = await testKernel({
    plugins: ['gateway', 'http'],
    config: { platforms: { [name]: { ...fake.config, ...everybody, ...settings } } },
    env: fake.env,
  })
  onTestFinished(() => kernel.stop())
  await kernel.use(Gateway).start()
  const door = kernel
    .use(Http)
    .apps()
    .find((app) => app.name === name)
  if (door) fake.callback?.(door.url)
  const platform = kernel.all(Platforms).get(name)
  if (!platform) throw new Error(`there is no platform ${name}`)
  return { fake, platform, text: kernel.use(MessageFormatter), member: fake.member() }
}

/** The first place where people see something else than the documents say; undefined when there is none. */
function difference(batch: readonly Written[], visible: string, shown: typeof bare): object | undefined {
  const getShownWords = ({ words }: Written) => shown(words.join('\n'))
  const [said, seen] = [batch.map(getShownWords).join(''), shown(visible)]
  if (said === seen) return undefined
  let at = 0
  while (said[at] === seen[at]) at += 1
  let end = 0
  const found = batch.find((document) => {
    end += getShownWords(document).length
    return end > at
  })
  const around = [Math.max(0, at - 60), at + 60] as const
  return { said: said.slice(...around), seen: seen.slice(...around), markdown: found?.markdown }
}

describe('generated documents', () => {
  test.for([
    ...services.map((service) => ({ service, settings: {} })),
    ...ntfy.map((service) => ({ service, settings: { markdown: true } })),
  ])(
    'say on $service.label with the settings $settings what they say',
    { timeout: process.env['DOCS'] === undefined ? 180_000 : 1_800_000 },
    async ({ service, settings }) => {
      const { fake, platform, text, member } = await open(service, settings)
      let sent = 0
      let looked = 0
      for (const { batch, shown } of batchesFor(service.platform)) {
        for (const piece of batch.flatMap(({ markdown }) => text.pieces(markdown, platform.limits)))
          await platform.send({ chatId: member.chatId, text: piece, key: `piece-${sent++}` })
        const seen = fake.deliveries()
        const visible = seen.slice(looked).map((delivery) => delivery.visible)
        expect(difference(batch, visible.join('\n'), shown)).toBeUndefined()
        looked = seen.length
      }
    },
  )
})
