/** What the routes take and give. */
import { z } from 'zod'

export const status = z.object({
  logged_in: z.boolean(),
  source: z.string().nullable(),
  source_label: z.string().nullable(),
  token_preview: z.string().nullable(),
  expires_at: z.number().nullable(),
  has_refresh_token: z.boolean(),
  error: z.string().optional(),
})

export const providers = z.object({
  providers: z.array(
    z.object({
      id: z.string(),
      name: z.string(),
      flow: z.enum(['pkce', 'device_code', 'external']),
      cli_command: z.string(),
      docs_url: z.string().nullable(),
      disconnectable: z.boolean(),
      disconnect_hint: z.string().nullable(),
      disconnect_command: z.string().nullable(),
      status,
    }),
  ),
})

export const start = z.object({ label: z.string().max(200).optional() })

export const started = z.discriminatedUnion('flow', [
  z.object({
    session_id: z.string(),
    flow: z.literal('pkce'),
    auth_url: z.string(),
    /** The browser comes back by itself; a code can be pasted, too. */
    returns: z.enum(['loopback', 'paste']),
    expires_in: z.number(),
  }),
  z.object({
    session_id: z.string(),
    flow: z.literal('device_code'),
    user_code: z.string(),
    verification_url: z.string(),
    verification_url_complete: z.string().optional(),
    expires_in: z.number(),
    poll_interval: z.number(),
  }),
])

export const submit = z.object({ session_id: z.string(), code: z.string().min(1).max(8192) })

export const submitted = z.object({
  ok: z.boolean(),
  status: z.enum(['approved', 'error']),
  message: z.string().optional(),
})

export const polled = z.object({
  session_id: z.string(),
  status: z.enum(['pending', 'approved', 'denied', 'expired', 'error']),
  error_message: z.string().nullable(),
  expires_at: z.number(),
})

export const cancelled = z.object({
  ok: z.boolean(),
  session_id: z.string().optional(),
  message: z.string().optional(),
})

export const disconnected = z.object({ ok: z.boolean(), provider: z.string() })
