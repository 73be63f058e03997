/** Searches in a home with 100,000 messages, in this process: what a person waits for, and how long others wait meanwhile. */
import type { Sessions } from 'svc/sdk'
import type { Bench } from './bench.ts'
import { createArchive, createWord, inHome, pause } from './home-fill.ts'
import { createRow, type Row } from './row.ts'

/** Of four messages each. */
const SEARCHED_SESSIONS = 25_000
const TOGETHER = 50
/** Words of a message, out of so many: each stands in about 4,000 of the 100,000 messages. */
const WORDS = 12
const VOCABULARY = 300
const MAX_MS = 50

const word = (at: number) => createWord((at + 1) * 7919)
/** A rare word stands in every five-hundredth session only. */
const RARE = 'harbour'

const queries: Readonly<Record<string, string>> = {
  'a common word': word(7),
  'a rare word': RARE,
  'two common words': `${word(7)} ${word(11)}`,
  'a word that is absent': 'xylophone',
  'a phrase that is absent, of common words': `"${word(7)} ${word(7)}"`,
  'two characters, common': word(7).slice(0, 2),
  'two characters, absent': '!?',
}

/** `bench` has its own home. */
export async function measureSearch(bench: Bench): Promise<Row[]> {
  return inHome(bench, async (sessions) => {
    await fill(sessions)
    return Object.entries(queries).map(([name, query]) => {
      // The first one reads pages that later ones find in memory.
      sessions.search(query)
      const ours = Array.from({ length: bench.runs }, () => {
        const begun = performance.now()
        sessions.search(query)
        return performance.now() - begun
      })
      return createRow(`search in 100,000 messages: ${name}`, 'ms', { ours }, { max: MAX_MS })
    })
  })
}

async function fill(sessions: Sessions): Promise<void> {
  for (let at = 0; at < SEARCHED_SESSIONS; at++) {
    const archive = createArchive(at)
    const messages = archive.messages.map((each, index) => {
      return { ...each, message: { ...each.message, text: createText(at * 4 + index, at % 500 === 0) } }
    })
    sessions.import({ ...archive, messages }, { soon: true })
    if (at % TOGETHER === 0) await pause(1)
  }
  await pause(1)
}

/** No word stands twice in a row. */
function createText(seed: number, isRare: boolean): string {
  const words: string[] = []
  let random = (seed * 2654435761) % 2 ** 32
  let last = -1
  while (words.length < WORDS) {
    random = (random * 1664525 + 1013904223) % 2 ** 32
    const at = Math.floor((random / 2 ** 32) * VOCABULARY)
    if (at !== last) words.push(word(at))
    last = at
  }
  return [...words, ...(isRare ? [RARE] : [])].join(' ')
}
