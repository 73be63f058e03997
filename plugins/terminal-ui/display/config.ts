/** The config block `display`. */
import { z } from 'zod'

/** What may be different from surface to surface. */
const ofSurface = {
  show_cost: z.boolean().meta({ description: 'Show what a turn cost.' }),
  show_reasoning: z.boolean().meta({ description: 'Show what the model thinks before it answers.' }),
  timestamps: z.boolean().meta({ description: 'Show the time of each message.' }),
  statusbar: z.boolean().meta({ description: 'Show the line with model, context and cost.' }),
  compact: z.boolean().meta({ description: 'Leave out blank lines and the welcome.' }),
  tool_progress: z.enum(['off', 'new', 'all', 'verbose']).meta({
    description:
      'Which tool calls are shown: none, when the tool is another one than before, all, or all with results.',
  }),
  tool_time: z.boolean().meta({ description: 'Show how long a tool call took, when it was long enough to matter.' }),
  transcripts: z.boolean().meta({ description: 'Show in chats what was understood of a voice message.' }),
  inline_diffs: z.boolean().meta({ description: 'Show below a call what it changed in a file.' }),
  busy_input_mode: z.enum(['interrupt', 'queue', 'steer']).meta({
    description:
      'What a message does to the turn under way: stop it (`interrupt`), wait for its end (`queue`), or reach it as a hint (`steer`). Default: `steer` at a terminal, `interrupt` in chats.',
  }),
  bell_on_complete: z.boolean().meta({ description: 'Ring the bell of the terminal when a turn ends.' }),
  mouse: z.boolean().meta({
    description:
      'Capture the mouse (wheel and clicks) in the full-screen interface. Most terminals select text while Shift is held down.',
  }),
  resume_display: z.enum(['full', 'minimal', 'none']).meta({
    description: 'Amount of history shown when a conversation is reopened.',
  }),
  indicator: z.enum(['kaomoji', 'emoji', 'unicode', 'ascii']).meta({
    description: 'Spinner style while the model is at work.',
  }),
}

/** The keys of `DisplaySettings`, with what holds when nothing is set. */
export const settings = z.object({
  interface: z.enum(['tui', 'cli']).default('tui').meta({
    description: 'Interface of `svc` on a terminal: full screen, or line by line.',
  }),
  language: z.string().min(1).max(35).default('en').meta({
    description: 'Language of the interface, never of the model: af de en es fr ga hu it ja ko pt ru tr uk zh zh-hant.',
  }),
  skin: z.string().min(1).max(64).default('default').meta({
    description: 'The look: a built-in one, or that of skins/<name>.yaml in SVC_HOME. `/skin` lists them.',
  }),
  show_cost: ofSurface.show_cost.default(false),
  show_reasoning: ofSurface.show_reasoning.default(false),
  timestamps: ofSurface.timestamps.default(false),
  statusbar: ofSurface.statusbar.default(true),
  hidden_status: z.array(z.string().min(1).max(64)).max(50).default([]).meta({
    description:
      'Items of the status bar to leave out: model tokens context elapsed queue cost, or the name of an item of a plugin.',
  }),
  compact: ofSurface.compact.default(false),
  tool_progress: ofSurface.tool_progress.default('all'),
  tool_time: ofSurface.tool_time.default(true),
  transcripts: ofSurface.transcripts.default(true),
  inline_diffs: ofSurface.inline_diffs.default(true),
  busy_input_mode: ofSurface.busy_input_mode.optional(),
  bell_on_complete: ofSurface.bell_on_complete.default(false),
  mouse: ofSurface.mouse.default(true),
  resume_display: ofSurface.resume_display.default('full'),
  indicator: ofSurface.indicator.default('unicode'),
})

const { busy_input_mode, tool_progress, tool_time, show_reasoning, show_cost, transcripts } = ofSurface

export const config = settings.extend({
  platforms: z
    .object({ cli: z.object(ofSurface).partial().optional().meta({ description: 'Settings of the terminal.' }) })
    .catchall(z.object({ busy_input_mode, tool_progress, tool_time, show_reasoning, show_cost, transcripts }).partial())
    .default({})
    .meta({ description: 'Other values for one surface each: `cli`, or the name of a chat platform.' }),
})

export type Config = z.infer<typeof config>

/** Whether a surface may override this key. */
export function isOfSurface(key: string): boolean {
  return Object.hasOwn(ofSurface, key)
}
