/** The config block `http`. */
import { z } from 'zod'

export const config = z.object({
  request_timeout: z.number().positive().max(3600).default(30).meta({
    description: 'Seconds that a request may take to arrive, headers and body; a slower one is answered with 408.',
  }),
  max_connections: z.number().int().min(1).default(1000).meta({
    description: 'Most connections of one server at a time; more are closed at once.',
  }),
  hosts: z.array(z.string()).default([]).meta({
    description:
      'Names under which requests may come to what listens on loopback, besides `localhost`: that of a reverse proxy, such as `svc.example`.',
  }),
})
export type Config = z.infer<typeof config>
