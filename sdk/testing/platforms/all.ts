/** Stand-ins for the services of all platforms that have one, by the platform's name. */
import type { PlatformFake } from './fake.ts'

const makers: Readonly<Record<string, () => Promise<PlatformFake>>> = {}

/** Names of the platforms that have one. */
export const platformFakes: readonly string[] = Object.keys(makers).sort()

/** Starts one. Throws for a name that has none. */
export async function platformFake(name: string): Promise<PlatformFake> {
  const make = makers[name]
  if (!make) throw new Error(`There is no stand-in for the platform "${name}". There are: ${platformFakes.join(', ')}.`)
  return make()
}
