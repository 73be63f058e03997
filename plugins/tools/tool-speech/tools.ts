/** The tools `text_to_speech` and `transcribe`, as the model is told of them. Their work is imported at its first use. */
import { defineTool, type Tool } from 'svc/sdk'
import type { MediaFiles, SpeechBackend } from 'svc/sdk/media'
import type { Budgets, GuardedFiles } from 'svc/sdk/safety'
import { z } from 'zod'
import { chooseEar, chooseVoice } from './choose.ts'
import type { Config } from './config.ts'
import { speechView } from './view.ts'

export interface SpeechDeps {
  readonly config: Config
  /** Where speech is kept. */
  readonly folder: string
  /** Aborted when the plugin goes. */
  readonly unloaded: AbortSignal
  readonly backends: () => readonly SpeechBackend[]
  readonly budgets: () => Budgets | undefined
  readonly media: () => MediaFiles
  readonly files: () => GuardedFiles
}

const spoken = z.object({
  text: z.string().trim().min(1),
  output_path: z.string().trim().min(1).optional().describe('.mp3, .opus or .wav'),
})
const heard = z.object({ path: z.string().trim().min(1).describe('file or URL') })

export type SpokenInput = z.infer<typeof spoken>
export type HeardInput = z.infer<typeof heard>

/** What is no path. */
const ADDRESS = /^https?:/i

/** Makes the two tools. Speaking again costs money again. */
export function speechTools(deps: SpeechDeps): readonly Tool[] {
  const reason = (choice: object | { readonly reason: string }) => ('reason' in choice ? choice.reason : undefined)
  return [
    defineTool<SpokenInput>({
      name: 'text_to_speech',
      description: 'Speak a text into an audio file.',
      input: spoken,
      effect: 'once',
      toolset: 'tts',
      reach: 'network',
      view: speechView,
      // Without a path it goes into svc's own folder.
      acts: ({ output_path: path }) => ({ writes: path === undefined ? [] : [path] }),
      missing: () => reason(chooseVoice(deps)),
      run: async (input, turn) => (await import('./speak.ts')).speakText(input, turn, deps),
    }),
    defineTool<HeardInput>({
      name: 'transcribe',
      description: 'What is said in an audio file, as text.',
      input: heard,
      effect: 'pure',
      toolset: 'stt',
      reach: 'network',
      acts: ({ path }) => (ADDRESS.test(path) ? {} : { reads: [path] }),
      parallel: true,
      untrusted: true,
      view: speechView,
      missing: () => reason(chooseEar(deps)),
      run: async (input, turn) => (await import('./transcribe.ts')).transcribeSound(input, turn, deps),
    }),
  ]
}
