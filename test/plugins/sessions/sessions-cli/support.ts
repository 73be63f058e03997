/** A kernel with `svc sessions`, and conversations to run it on. */
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { type Message, type Session, Sessions } from 'svc/sdk'
import { testKernel, virtualClock } from 'svc/sdk/testing'

export const dayMs = 86_400_000

export async function sessionsKernel() {
  const clock = virtualClock(Date.parse('2026-03-14T09:26:53Z'))
  const kernel = await testKernel({ plugins: ['sessions-cli'], clock })
  const trash = join(kernel.home, 'trash')
  return {
    kernel,
    clock,
    sessions: kernel.use(Sessions),
    /** Runs `svc sessions ...`. */
    svc: (args: string[], options: Parameters<typeof kernel.run>[1] = {}) => kernel.run(['sessions', ...args], options),
    json: async <T>(...args: string[]): Promise<T> => {
      const { code, out, err } = await kernel.run(['sessions', ...args, '--json'])
      if (code !== 0) throw new Error(err)
      return JSON.parse(out) as T
    },
    /** Paths of the copies that were made. */
    trash: () => (existsSync(trash) ? readdirSync(trash).map((name) => join(trash, name)) : []),
    [Symbol.asyncDispose]: () => kernel.stop(),
  }
}

/** A conversation whose turn has ended. */
export function talk(sessions: Sessions, texts: readonly (string | Message)[], where = {}): Session {
  const session = sessions.create({ surface: 'cli', cwd: '/work', ...where })
  const messages = texts.map(
    (each, i): Message => (typeof each === 'string' ? { role: i % 2 ? 'assistant' : 'user', text: each } : each),
  )
  const turnId = 't1'
  session.record({ turnId, events: [{ type: 'turn.start', text: '', provider: 'p', model: 'm' }], messages })
  session.record({ turnId, events: [{ type: 'turn.end', reason: 'completed', usage: { input: 3 } }] })
  return session
}

/** Everything that may steer a terminal, less line break and tab. */
export const steering = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u

/** What a hostile page, tool or file might put into a conversation. */
export const hostile =
  'a\u001b]0;owned\u0007 \u001b[2J\u009b31m \u202egnp.exe\u202c \u007f\r <script>alert(1)</script> "&\'</pre>'
