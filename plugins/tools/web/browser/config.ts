/** The config block `browser`. */
import { z } from 'zod'

export const config = z.object({
  executable: z.string().default('').meta({
    description: 'The browser to start: a path to Chromium or Chrome. Empty: CHROME_PATH, then what is on the PATH.',
  }),
  cdp_url: z.string().default('').meta({
    description:
      'A running browser to use instead of starting one, such as `http://127.0.0.1:9222`. It must have been started with `--remote-debugging-port`.',
  }),
  inactivity_timeout: z
    .number()
    .positive()
    .default(120)
    .meta({ description: 'Seconds after which a session whose browser is not used has it closed.' }),
  command_timeout: z
    .number()
    .positive()
    .default(30)
    .meta({ description: 'Seconds one browser command may take, loading of the page included.' }),
  unsafe_evaluate: z.boolean().default(false).meta({
    description: 'Let the model run JavaScript of its own in pages, with all that the page can do.',
  }),
  dialog_policy: z.enum(['must_respond', 'accept', 'dismiss']).default('must_respond').meta({
    description: 'Handling of page dialogs: the model answers, or they are accepted or dismissed at once.',
  }),
  dialog_timeout: z
    .number()
    .positive()
    .default(300)
    .meta({ description: 'Seconds after which a dialog that the model did not answer is dismissed.' }),
})

export type Config = z.infer<typeof config>
