/** What clients are told about pages and views of plugins. */
import { z } from 'zod'

const named = z.object({
  name: z.string(),
  title: z.string(),
  plugin: z.string().describe('The plugin that it belongs to'),
})

export const pageListSchema = z.object({
  pages: z.array(
    named.extend({
      group: z.enum(['work', 'setup', 'insight']),
      frame: z
        .object({
          address: z.string().describe('Path of the frame; secret, since it needs no credential'),
          version: z.string().describe('Another one for each change of its files'),
          routes: z.array(z.string()),
          methods: z.array(z.string()),
        })
        .optional()
        .describe('Left out: a view as data'),
    }),
  ),
  slots: z.array(named.extend({ place: z.string() })),
})
export type PageList = z.infer<typeof pageListSchema>

const text = z.string()
export const viewSchema = z.object({
  blocks: z.array(
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('heading'), text }),
      z.object({
        type: z.literal('text'),
        text,
        tone: z.enum(['plain', 'dim', 'ok', 'warning', 'error']).optional(),
      }),
      z.object({ type: z.literal('facts'), rows: z.array(z.tuple([text, text])) }),
      z.object({ type: z.literal('list'), items: z.array(text) }),
      z.object({ type: z.literal('table'), head: z.array(text), rows: z.array(z.array(text)) }),
      z.object({ type: z.literal('progress'), label: text, value: z.number() }),
      z.object({ type: z.literal('code'), text }),
      z.object({ type: z.literal('commands'), items: z.array(z.object({ label: text, command: text })) }),
    ]),
  ),
})
