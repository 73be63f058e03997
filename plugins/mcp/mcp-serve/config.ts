/** The config block `mcp_serve`. The key is a secret and lives in `.env` only. */
import { z } from 'zod'

export const config = z.object({
  tools: z.array(z.string()).default([]).meta({
    description: 'Tools of svc that clients may call by name, with the approvals they always need; left out: none.',
  }),
  host: z.string().default('127.0.0.1').meta({
    description:
      'Address that `svc mcp serve --http` listens on. Anything but loopback can be reached by others: they need the key.',
  }),
  port: z.number().int().min(0).max(65_535).default(8645).meta({ description: 'Port that it listens on.' }),
  origins: z.array(z.string()).default([]).meta({
    description: 'Origins of web pages that may ask: `https://app.example`; left out: no web page may.',
  }),
  cwd: z.string().optional().meta({
    description: 'Folder in which new sessions of `--http` work; left out: the folder that the command was started in.',
  }),
})
export type Config = z.infer<typeof config>
