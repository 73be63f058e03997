/** The stand-ins of the built-in platforms, as their plugins contribute them. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { StandInService } from 'svc/sdk/platform'
import { exists, root } from './repository.ts'

const wing = 'plugins/messaging/platforms'
const file = (platform: string) => `${wing}/platform-${platform}/stand-in/service.ts`

/** Names of the platforms that have one, sorted. */
export const standInNames: readonly string[] = readdirSync(join(root, wing))
  .map((folder) => folder.replace(/^platform-/, ''))
  .filter((platform) => exists(file(platform)))
  .sort()

/** Starts one. */
export async function openStandIn(platform: string): Promise<StandInService> {
  const address = pathToFileURL(join(root, file(platform))).href
  const { openStandIn: open } = (await import(address)) as { openStandIn(): Promise<StandInService> }
  return open()
}
