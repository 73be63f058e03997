/** The block `compression`. No environment variable changes it. */
import { z } from 'zod'

export const config = z.object({
  enabled: z.boolean().default(true).meta({
    description: 'Compress long conversations automatically; `/compress` works either way.',
  }),
  threshold: z.number().min(0.1).max(0.95).default(0.5).meta({
    description:
      'The share of what a model can read from which on a conversation is compressed. Windows below 512,000 tokens use at least 0.75, and it is never less than 64,000 tokens where the window has them.',
  }),
  target_ratio: z.number().min(0.1).max(0.8).default(0.2).meta({
    description: 'The share of that threshold that the newest messages, which stay as they are, may take.',
  }),
  protect_first_n: z.int().min(0).max(100).default(3).meta({
    description: 'Messages at the beginning that stay as they are, until a summary takes their place the second time.',
  }),
  protect_last_n: z.int().min(3).max(500).default(20).meta({
    description: 'Messages at the end that stay as they are where they have room.',
  }),
  summary_base_url: z.string().default('').meta({
    description:
      'A server with an OpenAI-compatible API that needs no key, asked for summaries before the model of `auxiliary.compression`, such as `http://127.0.0.1:8080/v1`.',
  }),
  engine: z.string().min(1).default('summary').meta({
    description: 'Engine that summarizes older messages. Plugins can add others.',
  }),
  abort_on_summary_failure: z.boolean().default(true).meta({
    description:
      'true: without a summary nothing is changed. false: an extract that no model has written stands in for it.',
  }),
})
export type Config = z.infer<typeof config>
