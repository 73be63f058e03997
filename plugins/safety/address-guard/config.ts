/** The config block `security`. */
import { z } from 'zod'

const blocklist = z.object({
  enabled: z.boolean().default(false).meta({ description: 'Refuse the websites below.' }),
  domains: z.array(z.string()).default([]).meta({
    description: 'Domains that are refused together with everything below them: `example.com`.',
  }),
  shared_files: z.array(z.string()).default([]).meta({
    description:
      'Files with one domain a line (`#` begins a comment), relative to SVC_HOME. Read again after 30 seconds.',
  }),
})

export const config = z.object({
  allow_private_urls: z.boolean().default(false).meta({
    description: 'Let the model ask addresses of this machine and of private networks. Cloud metadata stays refused.',
  }),
  website_blocklist: blocklist.prefault({}).meta({ description: 'Websites that the model may not open.' }),
})
export type Config = z.infer<typeof config>
