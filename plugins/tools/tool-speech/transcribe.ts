/** The work of the tool `transcribe`. */
import type { ToolContext, ToolResult } from 'svc/sdk'
import type { HeardInput, SpeechDeps } from './tools.ts'
import { chosenEar, transcribe } from './transcription.ts'

/** Throws `SPEECH_...`, `BUDGET_EXCEEDED`, or what the reader of sounds throws. */
export async function transcribeSound(input: HeardInput, turn: ToolContext, deps: SpeechDeps): Promise<ToolResult> {
  const { backend, part: ear } = chosenEar(deps)
  const signal = AbortSignal.any([turn.signal, deps.unloaded])
  const sound = await deps.media().sound({ source: input.path, cwd: turn.cwd, signal, maxBytes: ear.maxBytes })
  turn.progress(`${backend.label} listens to ${sound.name}`)
  const { sessionId, turnId } = turn
  const text = await transcribe(ear, { sound, sessionId, turnId, signal }, deps)
  const data = { name: sound.name, mediaType: sound.mediaType, backend: backend.name }
  return { text: text === '' ? '(no words were heard)' : text, data }
}
