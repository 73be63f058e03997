/** The work of `transcribe`. */
import { SvcError, spend, type ToolResult, type ToolTurn } from 'svc/sdk'
import { chooseEar } from './choose.ts'
import type { HeardInput, SpeechHost } from './tools.ts'

/** Rough: a second of speech has 16,000 bytes and ten tokens. */
const BYTES_PER_TOKEN = 1600

/** Throws `SPEECH_...`, `BUDGET_EXCEEDED`, or what the reader of sounds throws. */
export async function transcribeSound(input: HeardInput, turn: ToolTurn, host: SpeechHost): Promise<ToolResult> {
  const choice = chooseEar(host)
  if ('reason' in choice) throw new SvcError('SPEECH_NO_BACKEND', `Nobody can listen: ${choice.reason}.`)
  const { backend, part: ear } = choice
  const signal = AbortSignal.any([turn.signal, host.unloaded])
  const sound = await host.media().sound({ source: input.path, cwd: turn.cwd, signal, maxBytes: ear.maxBytes })
  turn.progress(`${backend.label} listens to ${sound.name}`)
  const run = () => ear.transcribe({ sound, signal })
  const inputTokens = Math.ceil(sound.bytes.length / BYTES_PER_TOKEN)
  const heard = ear.account
    ? await spend(host.budgets(), {
        spender: { sessionId: turn.sessionId, turnId: turn.turnId, purpose: 'transcription', ...ear.account },
        estimate: { inputTokens, outputTokens: inputTokens },
        ...{ signal, run },
        usage: ({ usage }) => usage,
      })
    : await run()
  const text = heard.text.trim()
  const data = { name: sound.name, mediaType: sound.mediaType, backend: backend.name }
  return { text: text === '' ? '(no words were heard)' : text, data }
}
