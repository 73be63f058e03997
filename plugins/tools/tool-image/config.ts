/** The config block `image`. */
import { z } from 'zod'

export const config = z.object({
  backend: z.string().default('').meta({
    description: 'Image backend: custom, openai, or one of another plugin. Empty: the first available.',
  }),
  base_url: z.string().default('').meta({
    description:
      'Address of a server of your own that speaks the image API of OpenAI, such as http://localhost:8080/v1.',
  }),
  model: z.string().default('').meta({ description: 'The model of that server. Empty: the one it takes by itself.' }),
  edits: z.boolean().default(false).meta({ description: 'That server also changes pictures (/images/edits).' }),
  openai_base_url: z.string().default('https://api.openai.com/v1').meta({ description: 'Address of OpenAI.' }),
  openai_model: z.string().default('gpt-image-1').meta({ description: 'The model that is asked at OpenAI.' }),
  openai_quality: z.enum(['auto', 'low', 'medium', 'high']).default('auto').meta({
    description: 'Quality, and cost, of pictures from OpenAI.',
  }),
})
export type Config = z.infer<typeof config>
