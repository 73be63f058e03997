/** Consent as a person gives it, for tests that are about something else. */
import { join } from 'node:path'
import { ConsentStore } from '../../loader/consent.ts'
import { inspect, readRoot } from '../../loader/discover.ts'

/** Agrees to a plugin of a home as it lies there; with `development` also to what will lie there. */
export function agreeTo(home: string, name: string, options: { readonly development?: boolean } = {}): void {
  const root = join(home, 'plugins')
  const found = inspect(join(root, name), 'home', readRoot(root))
  const store = new ConsentStore(home, () => 0)
  store.agree(found, store.inspect(found).hash, options)
}
