/** File systems of a test alone, mounted in a name space of its own by `unshare -Urm`. */
import { execFileSync } from 'node:child_process'
import type { TestContext } from 'vitest'

/** Skips the test, visibly, where the machine does not allow name spaces of users. */
export function needNamespaces(context: TestContext): void {
  try {
    execFileSync('unshare', ['-Urm', 'true'], { stdio: 'ignore' })
  } catch {
    context.skip('this machine allows no user namespaces, so no small disk can be made')
  }
}
