/** Names that a bundle imports of the SDK and that the SDK does not export, with what their author may have meant. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findNearest } from '../sdk/kit/text/nearest.ts'
import type { SdkNames } from '../sdk/plugins.ts'
import { importAddress } from './module-import.ts'
import { readSdkNames, sdkAddress, sdkPaths } from './sdk-facade.ts'

const IMPORTS = /^import \{([^}]*)\} from "(file:[^"]+)";/gm

/** One sentence for all of them, with files and lines of `sources`, the texts of the plugin by their names; undefined without one. */
export async function describeMissingNames(
  bundle: string,
  plugin: string,
  sources: () => ReadonlyMap<string, string>,
): Promise<string | undefined> {
  const missing: { readonly name: string; readonly entry: string }[] = []
  const entries = new Map(sdkPaths().map((path) => [sdkAddress(path), path]))
  for (const file of readdirSync(bundle).filter((each) => each.endsWith('.js')))
    for (const [, list = '', address = ''] of readFileSync(join(bundle, file), 'utf8').matchAll(IMPORTS)) {
      const entry = entries.get(address)
      if (entry === undefined) continue
      const values = Object.keys((await importAddress(address)) as object)
      const names = list.split(',').map((each) => each.trim().split(' as ')[0] ?? '')
      missing.push(...names.filter((name) => name !== '' && !values.includes(name)).map((name) => ({ name, entry })))
    }
  if (missing.length === 0) return undefined
  const sdk = await readSdkNames()
  const texts = sources()
  const sentences = missing.map(({ name, entry }) => `${locate(name, texts)}${explain(name, entry, sdk)}`)
  const isOld = missing.some(({ name }) => sdk.renames.some((each) => each.old === name))
  const advice = isOld ? [`svc plugins migrate ${plugin} rewrites old names.`] : []
  return [...sentences, ...advice].join(' ')
}

function explain(name: string, entry: string, { renames, values, version }: SdkNames): string {
  const rename = renames.find(({ old }) => old === name)
  if (rename) {
    const moved = rename.new === name ? `is exported by ${rename.entry}` : `is ${rename.new} of ${rename.entry}`
    return `${name} ${moved} since SDK ${rename.since} (${rename.code}).`
  }
  const other = Object.keys(values).find((each) => values[each]?.includes(name))
  if (other !== undefined) return `${name} is exported by ${other}, not by ${entry}.`
  const near = findNearest(name, values[entry] ?? [])
  if (near !== undefined) return `${entry} does not export ${name}; did you mean ${near}?`
  const far = findNearest(name, Object.values(values).flat())
  if (far !== undefined) {
    const owner = Object.keys(values).find((each) => values[each]?.includes(far))
    return `${entry} does not export ${name}; did you mean ${far} of ${owner}?`
  }
  return `${entry} of SDK ${version} exports no value ${name}; a type is imported with "import type".`
}

/** `index.ts:3: `, the first import statement with the name. */
function locate(name: string, sources: ReadonlyMap<string, string>): string {
  const statement = new RegExp(`\\b(?:im|ex)port\\b[^;'"]*?\\b${name}\\b[^;'"]*from\\s*['"]svc/sdk`)
  for (const [file, text] of sources) {
    const found = statement.exec(text)
    if (found === null) continue
    const at = found.index + found[0].search(new RegExp(`\\b${name}\\b`))
    return `${file}:${text.slice(0, at).split('\n').length}: `
  }
  return ''
}
