/** The testing kit as it was built: what a child process can import. */
import { existsSync, readFileSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { SvcError } from '../errors.ts'

/** The kit as it was built, since Node does not run the sources, and a folder that has svc and its packages. */
export function builtKit(): { readonly packages: string; readonly file: string } {
  const root = findProgram(realpathSync(fileURLToPath(import.meta.url)))
  const [, packages = root] = /^(.*?[/\\]node_modules)[/\\]/.exec(root) ?? []
  return { packages, file: join(root, 'dist', 'sdk', 'testing.js') }
}

/** The package of the program, which is published with a scope and known by its command. */
function findProgram(inside: string): string {
  for (let dir = dirname(inside); dir !== dirname(dir); dir = dirname(dir)) {
    const file = join(dir, 'package.json')
    if (!existsSync(file)) continue
    const { bin } = JSON.parse(readFileSync(file, 'utf8')) as { bin?: Record<string, string> }
    if (bin?.['svc'] !== undefined) return dir
  }
  throw new SvcError('PLUGIN_MANIFEST', `The package of svc was not found above ${inside}.`)
}
