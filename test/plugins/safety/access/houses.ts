/** Platforms with different settings in one runtime, to ask what people may do there. */
import type { InlinePlugin } from 'svc'
import {
  type MessageOrigin,
  type Platform,
  type PlatformSettings,
  Platforms,
  platformSettingDefaults,
} from 'svc/sdk/platform'
import { Access } from 'svc/sdk/safety'
import { type TestKernel, testKernel, type VirtualClock, virtualClock } from 'svc/sdk/testing'

/** A platform that only has settings. */
export function house(name: string, settings: Partial<PlatformSettings> = {}, more: Partial<Platform> = {}): Platform {
  return {
    name,
    label: name,
    limits: { maxTextLength: 4096, idempotency: 'none' },
    settings: { ...platformSettingDefaults, ...settings },
    connect: async () => {},
    send: async () => ({ messageId: '1' }),
    probe: async () => true,
    close: async () => {},
    ...more,
  }
}

/** A runtime with `access` and these platforms. */
export interface Street {
  readonly kernel: TestKernel
  readonly clock: VirtualClock
  readonly access: Access
  [Symbol.asyncDispose](): Promise<void>
}

export async function street(
  houses: readonly Platform[],
  {
    with: others = [],
    ...setting
  }: {
    readonly env?: Readonly<Record<string, string>>
    readonly home?: string
    readonly with?: readonly InlinePlugin[]
  } = {},
): Promise<Street> {
  const clock = virtualClock()
  const kernel = await testKernel({
    plugins: ['access'],
    clock,
    ...setting,
    with: [
      ...others,
      {
        name: 'houses',
        contributes: { platforms: houses.map(({ name }) => name) },
        setup: (ctx) => {
          for (const each of houses) ctx.add(Platforms, each)
        },
      },
    ],
  })
  return { kernel, clock, access: kernel.use(Access), [Symbol.asyncDispose]: () => kernel.stop() }
}

/** Someone alone with the agent, unless more is said. */
export function person(platform: string, userId: string, more: Partial<MessageOrigin> = {}): MessageOrigin {
  return { platform, chatId: userId || 'somewhere', userId, ...more }
}

export const MESSAGE = { kind: 'message' } as const
