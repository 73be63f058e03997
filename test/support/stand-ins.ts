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

/** A service to try a platform on: one platform may speak to several. */
export interface StandInCase {
  /** The platform, with the vendor or the kind of connection where it has several. */
  readonly label: string
  readonly platform: string
  open(): Promise<StandInService>
}

/** What platforms with several services have besides the one that `openStandIn` starts. */
const others: readonly (readonly [platform: string, variant: string])[] = [
  ['feishu', 'connection'],
  ['qq', 'gateway'],
  ...['plivo', 'telnyx', 'vonage'].map((vendor) => ['sms', vendor] as const),
]

/** All of them, sorted by their labels. */
export const standInCases: readonly StandInCase[] = [
  ...standInNames.map((platform) => ({ label: platform, platform, open: () => openStandIn(platform) })),
  ...others.map(([platform, variant]) => ({
    ...{ label: `${platform}-${variant}`, platform },
    open: () => openStandIn(platform, variant),
  })),
].sort((one, two) => (one.label < two.label ? -1 : 1))

/** Starts one. */
export async function openStandIn(platform: string, variant?: string): Promise<StandInService> {
  const address = pathToFileURL(join(root, file(platform))).href
  const { openStandIn: open } = (await import(address)) as { openStandIn(variant?: string): Promise<StandInService> }
  return open(variant)
}
