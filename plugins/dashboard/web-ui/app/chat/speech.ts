/** What the server can do with speech: decides which buttons a conversation has. */
import { signal } from '@preact/signals'
import { api } from '../client/typed.ts'

export const canSpeak = signal(false)
export const canTranscribe = signal(false)

/** Never rejects: without an answer, as where the plugin is disabled, speech is not offered. */
export async function readSpeech(): Promise<void> {
  const status = await api.get('/api/audio/status', {}).catch(() => undefined)
  canSpeak.value = typeof status?.speak.provider === 'string'
  canTranscribe.value = typeof status?.transcribe.provider === 'string'
}
