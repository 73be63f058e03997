/** The block `storage`: where the tables are that several machines may share. */
import { z } from 'zod'

export const config = z.object({
  url: z.string().default('').meta({
    description:
      'A database server that several machines share: `postgres://user@host/database`. Empty: SQLite files below SVC_HOME. An address with a password belongs in SVC_STORAGE_URL.',
    secret: true,
  }),
  prefix: z
    .string()
    .regex(/^[a-z][a-z0-9_]{0,15}$/)
    .default('svc')
    .meta({
      description: 'What the schemas of svc on the server begin with; homes with the same prefix share their tables.',
    }),
  connections: z.number().int().min(1).max(100).default(5).meta({
    description: 'Connections to the server that one process opens at most, besides one for notices.',
  }),
  timeout_seconds: z.number().min(1).max(600).default(15).meta({
    description: 'Seconds that a statement may take, and that a transaction tries again while the server is away.',
  }),
})
export type Config = z.infer<typeof config>
