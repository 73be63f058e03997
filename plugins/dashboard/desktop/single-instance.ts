/** One launcher for each home: the first holds a lock that says how it is reached, and later starts ask it. */
import { join } from 'node:path'
import { type Net, type Random, SvcError } from 'svc/sdk'
import { type FileLock, findLockHolder, tryFileLock } from 'svc/sdk/kit/process'
import { z } from 'zod'

const reachSchema = z.object({ url: z.string(), token: z.string() })
/** How a launcher is reached; kept in its lock, which only its user can read. */
export type Reach = z.infer<typeof reachSchema>

/** What later starts ask of the first. */
export const orderSchema = z.discriminatedUnion('order', [
  z.object({ order: z.literal('open'), profile: z.string(), link: z.string().optional() }),
  z.object({ order: z.literal('status') }),
  z.object({ order: z.literal('reset') }),
  z.object({ order: z.literal('repair') }),
  z.object({ order: z.literal('quit') }),
])
export type Order = z.infer<typeof orderSchema>

const ASK_MS = 15_000

export function lockFile(userData: string): string {
  return join(userData, 'desktop.lock')
}

/** The lock, or undefined when another launcher runs. */
export function tryToBeFirst(userData: string, random: Random): FileLock | undefined {
  return tryFileLock(lockFile(userData), random).lock
}

/** How the launcher that runs is reached; undefined when none runs, or when it is only just starting. */
export function findFirst(userData: string): Reach | undefined {
  return reachSchema.safeParse(findLockHolder(lockFile(userData))?.note).data
}

/** Asks the launcher that runs. Throws `DESKTOP_LAUNCHER`. */
export async function ask(net: Net, { url, token }: Reach, order: Order): Promise<unknown> {
  const headers = { authorization: `Bearer ${token}` }
  const response = await net.request({ url: `${url}/order`, json: order, headers, timeoutMs: ASK_MS })
  const answer = z
    .object({ error: z.string().optional() })
    .loose()
    .parse(await response.json())
  if (response.status === 200) return answer
  const text = `The desktop that runs refused: ${answer.error ?? `status ${response.status}`}`
  throw new SvcError('DESKTOP_LAUNCHER', text)
}
