/** Foreign plugins as folders on disk, written by the tests that examine them. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Manifest } from 'svc/sdk/host'
import { onTestFinished } from 'vitest'
import { removeFolder } from '../support/remove-folder.ts'

/** What is in the folder. `index` is the text of its `index.ts`. */
export interface Folder {
  readonly manifest?: Partial<Manifest> | string
  readonly index?: string
}

const sound: Manifest = {
  name: 'guest',
  version: '1.0.0',
  sdk: '^0.1.0',
  kind: 'tool',
  description: 'A plugin of somebody else.',
  with: ['agent'],
}

/** A plugin whose `setup` does this; `ctx` and everything of `svc/sdk` that is named in `uses` are there. */
export function createSetup(body: string, uses: readonly string[] = []): string {
  return `import { ${['definePlugin', ...uses].join(', ')} } from 'svc/sdk'
export default definePlugin({ async setup(ctx) { ${body} } })`
}

/** Writes the folder; it is gone after the test. */
export function pluginFolder({ manifest = {}, index = createSetup('') }: Folder): string {
  const root = mkdtempSync(join(tmpdir(), 'svc-guest-'))
  onTestFinished(() => removeFolder(root))
  const dir = join(root, 'guest')
  mkdirSync(dir)
  const text = typeof manifest === 'string' ? manifest : JSON.stringify({ ...sound, ...manifest })
  writeFileSync(join(dir, 'plugin.json'), text)
  writeFileSync(join(dir, 'index.ts'), index)
  return dir
}
