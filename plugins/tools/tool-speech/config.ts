/** The config block `speech`. */
import { z } from 'zod'

const text = (description: string, preset = '') => z.string().default(preset).meta({ description })

/** A server that speaks the audio API of OpenAI. */
const server = (label: string, preset: { base_url?: string; tts_model?: string; voice?: string; stt_model?: string }) =>
  z
    .object({
      base_url: text('Address of the server.', preset.base_url),
      tts_model: text('The model that speaks.', preset.tts_model),
      voice: text('Whose voice it has.', preset.voice),
      stt_model: text('The model that listens.', preset.stt_model),
    })
    .prefault({})
    .meta({ description: label })

export const config = z.object({
  tts_backend: text('Who speaks: a name from the list of backends. Empty: the first that can.'),
  stt_backend: text('Who listens. Empty: the first that can.'),
  format: z.enum(['mp3', 'opus', 'wav']).default('mp3').meta({
    description: 'Audio format where the file name does not determine it.',
  }),
  max_characters: z.int().min(100).max(200_000).default(20_000).meta({
    description: 'The longest text that is spoken in one call; each character costs money.',
  }),
  language: text('The language that is spoken, as en or de. Empty: it is found out by listening.'),
  openai: server('OpenAI.', {
    base_url: 'https://api.openai.com/v1',
    ...{ tts_model: 'gpt-4o-mini-tts', voice: 'alloy', stt_model: 'gpt-4o-mini-transcribe' },
  }),
  groq: server('Groq.', {
    base_url: 'https://api.groq.com/openai/v1',
    ...{ tts_model: 'canopylabs/orpheus-v1-english', voice: 'troy', stt_model: 'whisper-large-v3-turbo' },
  }),
  custom: server(
    'A server of your own that speaks the audio API of OpenAI. A job without a model is not given to it.',
    {
      voice: 'alloy',
    },
  ),
  elevenlabs: z
    .object({
      base_url: text('Address of the service.', 'https://api.elevenlabs.io/v1'),
      model: text('The model that speaks.', 'eleven_multilingual_v2'),
      voice: text('The id of the voice.', '21m00Tcm4TlvDq8ikWAM'),
    })
    .prefault({})
    .meta({ description: 'ElevenLabs.' }),
  tts_command: text(
    'A program that speaks, run without a shell, such as: say -f {input} -o {output}. Without {input} it reads the text from its standard input.',
  ),
  tts_command_format: z
    .enum(['mp3', 'opus', 'wav'])
    .default('wav')
    .meta({ description: 'Audio format that tts_command writes.' }),
  stt_command: text(
    'A program that listens, run without a shell, such as: vosk-transcriber -i {input} -o {output}. Without {output} its standard output is taken.',
  ),
  espeak_voice: text('The voice of espeak-ng, such as en-gb or de. Empty: the one it has by itself.'),
  piper_model: text('The voice of piper: a path of an .onnx file, or a name that it knows.'),
  whisper_model: text('The model of the program whisper. It is downloaded by whisper at its first use.', 'base'),
  program_seconds: z.int().min(1).max(3600).default(300).meta({ description: 'Seconds that a program may take.' }),
})
export type Config = z.infer<typeof config>
