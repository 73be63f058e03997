/** Answers as sound. One is read at a time, and the last one is stored: to hear it again costs nothing. */
import { signal } from '@preact/signals'
import { t } from '../client/language.ts'
import { notify } from '../client/notices.ts'
import { api } from '../client/typed.ts'

interface Reading {
  /** The entry that is read. */
  readonly id: string
  readonly state: 'loading' | 'playing'
}

export const reading = signal<Reading | undefined>(undefined)
let end: AbortController | undefined
let last: { readonly text: string; readonly url: string } | undefined

/** Begins to read an entry and stops the one before. Never rejects: a failure is a notice. */
export async function readAloud(id: string, text: string): Promise<void> {
  stopReading()
  const controller = new AbortController()
  end = controller
  const { signal } = controller
  reading.value = { id, state: 'loading' }
  try {
    const url = await fetchSound(text, signal)
    const audio = new Audio(url)
    signal.addEventListener('abort', () => audio.pause())
    audio.addEventListener('ended', () => end === controller && stopReading())
    await audio.play()
    if (!signal.aborted) reading.value = { id, state: 'playing' }
  } catch (error) {
    if (signal.aborted) return
    stopReading()
    notify(explain(error as Error), 'error')
  }
}

/** Ends the sound, or the request for it. */
export function stopReading(): void {
  end?.abort()
  end = undefined
  reading.value = undefined
}

async function fetchSound(text: string, signal: AbortSignal): Promise<string> {
  if (last?.text === text) return last.url
  const { data_url: url } = await api.post('/api/audio/speak', { text }, {}, signal)
  last = { text, url }
  return url
}

function explain({ name, message: why }: Error): string {
  // The press may be too long ago when the sound arrives.
  if (name === 'NotAllowedError') return t('The browser did not play the sound. Press the button again.')
  if (name === 'NotSupportedError') return t('The browser cannot play this sound. Choose another backend for speech.')
  return t('It was not read aloud: {why} The backend is set under “speech” on the page Settings.', { why })
}

/** What is read of an answer that is shown: its texts, without blocks of code. */
export function readableText(answer: Element | null | undefined): string {
  const blocks = [...(answer?.children ?? [])].filter((block) => block.tagName !== 'FIGURE')
  return blocks
    .map((block) => (block as HTMLElement).innerText.trim())
    .filter((text) => text !== '')
    .join('\n')
}
