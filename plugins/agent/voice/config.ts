/** The config block `voice`. */
import { z } from 'zod'

export const chatMode = z.enum(['off', 'auto', 'on'])
/** Which answers are also spoken: none, those to spoken questions, all. */
export type ChatMode = z.infer<typeof chatMode>

const text = (description: string, preset = '') => z.string().default(preset).meta({ description })

export const config = z.object({
  chats: chatMode.default('off').meta({
    description:
      'Which answers are also spoken in chats where `/voice` was not used: none, those to voice messages (`auto`), or all (`on`).',
  }),
  terminal: chatMode.default('auto').meta({
    description: 'The same for the terminal, until `/voice` says something else.',
  }),
  max_reply_characters: z.int().min(50).max(20_000).default(1500).meta({
    description:
      'How much of an answer is spoken: whole sentences up to so many characters. Each character costs money.',
  }),
  record_key: text('A key of the terminal that begins to listen and sends what was said, besides F9.', 'f9'),
  max_seconds: z.int().min(5).max(600).default(120).meta({ description: 'The longest recording on the terminal.' }),
  silence_threshold: z.int().min(1).max(32_767).default(200).meta({
    description: 'From which level on sound is speech: the root mean square of samples of 16 bits.',
  }),
  silence_seconds: z.number().min(0.3).max(30).default(3).meta({
    description: 'Hands-free: seconds of silence after which the speech is sent.',
  }),
  barge_in: z.number().min(0).max(50).default(4).meta({
    description:
      'Hands-free: how many times louder than `silence_threshold` a person has to speak to stop the answer that is played; 0: not possible.',
  }),
  recorder: text(
    'A program that records, run without a shell: it writes samples of 16 bits, one channel, 16 kHz, or a WAV, to its standard output. Empty: the first of arecord, parec, rec, sox, ffmpeg.',
  ),
  player: text(
    'A program that plays the file `{file}`, run without a shell. Empty: the first of afplay, mpv, ffplay, paplay, aplay.',
  ),
})
export type Config = z.infer<typeof config>
