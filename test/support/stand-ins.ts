/** Stand-ins for the services of all platforms that have one, by the platform's name. */
import type { PlatformFake } from './fake.ts'

const makers: Readonly<Record<string, () => Promise<PlatformFake>>> = {
  dingtalk: async () => (await import('./dingtalk.ts')).dingtalkFake(),
  signal: async () => (await import('./signal.ts')).signalFake(),
  discord: async () => (await import('./discord.ts')).discordFake(),
  email: async () => (await import('./email.ts')).emailFake(),
  irc: async () => (await import('./irc.ts')).ircFake(),
  matrix: async () => (await import('./matrix.ts')).matrixFake(),
  ntfy: async () => (await import('./ntfy.ts')).ntfyFake(),
  sms: async () => (await import('./sms.ts')).smsFake(),
  whatsapp: async () => (await import('./whatsapp.ts')).whatsappFake(),
  telegram: async () => (await import('./telegram.ts')).telegramFake(),
  homeassistant: async () => (await import('./homeassistant.ts')).homeassistantFake(),
  slack: async () => (await import('./slack.ts')).slackFake(),
  mattermost: async () => (await import('./mattermost.ts')).mattermostFake(),
}

/** Names of the platforms that have one. @since 0.1 */
export const platformFakes: readonly string[] = Object.keys(makers).sort()

/** Starts one. Throws for a name that has none. @since 0.1 */
export async function platformFake(name: string): Promise<PlatformFake> {
  const make = makers[name]
  if (!make) throw new Error(`There is no stand-in for the platform "${name}". There are: ${platformFakes.join(', ')}.`)
  return make()
}
