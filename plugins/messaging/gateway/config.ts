/** The config block `gateway`. */
import { z } from 'zod'

const hour = z.preprocess(
  (value) => (typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 23 ? value : 4),
  z.number(),
)

const sessionReset = z.object({
  mode: z.enum(['none', 'daily', 'idle', 'both']).default('none').meta({
    description: 'When a conversation is reset automatically: never, once a day, after a pause, or both.',
  }),
  at_hour: hour
    .default(4)
    .meta({ description: 'The hour of the day for `daily`, 0 to 23, by the clock of this machine.' }),
  idle_minutes: z.number().int().positive().default(1440).meta({ description: 'The pause for `idle`.' }),
  notify: z.boolean().default(true).meta({ description: 'Tell the chat about a reset.' }),
})

export const config = z.object({
  session_reset: sessionReset.prefault({}).meta({ description: 'When conversations are reset automatically.' }),
  cwd: z.string().default('').meta({ description: 'The folder that chats work in. Empty: `workspace` in SVC_HOME.' }),
  max_inbound_media_bytes: z.number().int().min(0).default(134_217_728).meta({
    description: 'The largest file that is taken from any platform; 0: no limit.',
  }),
  connect_seconds: z
    .number()
    .positive()
    .default(30)
    .meta({ description: 'Time limit for a platform to connect, in seconds.' }),
  drain_seconds: z.number().min(0).default(30).meta({
    description: 'Seconds that a stop waits for running turns. Unfinished turns are resumed at the next start.',
  }),
  working_notice_seconds: z.number().min(0).default(180).meta({
    description: 'After how long a chat is told that an answer is still under way; 0: never.',
  }),
  busy_notice_seconds: z.number().min(0).default(30).meta({
    description: 'A message that comes during an answer is acknowledged, at most once in so many seconds; 0: never.',
  }),
  loop_messages: z.number().int().min(0).default(120).meta({
    description:
      'After so many turns of one conversation within `loop_minutes` it is not answered: programs may be talking; 0: no limit.',
  }),
  loop_messages_unattended: z.number().int().min(0).default(20).meta({
    description: 'The same for other programs, and on platforms where programs answer by themselves, such as email.',
  }),
  loop_minutes: z.number().positive().default(60).meta({ description: 'The window of both limits.' }),
  question_seconds: z.number().positive().default(300).meta({
    description: 'How long the question or menu of a command waits; then the command does nothing.',
  }),
  inactivity_seconds: z.number().min(0).default(1800).meta({
    description: 'A turn in which nothing happens for so long is stopped; 0: never.',
  }),
})
export type Config = z.infer<typeof config>
