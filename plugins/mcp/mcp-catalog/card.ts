/** What a person is shown of an entry before it is installed: where it is from, what will run, and what it wants. */
import { formatColumns, safeLine } from 'svc/sdk/kit/terminal'
import { type CatalogKey, type CatalogManifest, INSTALL_DIR, listKeys } from './manifest.ts'

/** Lines without line feeds; texts of the manifest cannot steer the terminal. */
export function formatCard(manifest: CatalogManifest, dir: string): string[] {
  const { name, description, source, transport, install, auth } = manifest
  const fill = (text: string) => text.replaceAll(INSTALL_DIR, dir)
  const rows: [string, string][] = []
  if (source !== undefined) rows.push(['source', source])
  if (transport.version !== undefined) rows.push(['version', transport.version])
  if (transport.type === 'http') rows.push(['connects to', transport.url])
  else rows.push(['runs', [transport.command, ...transport.args].map(fill).map(quote).join(' ')])
  if (install) rows.push(['clones', `${install.url} at ${install.ref}, to ${dir}`])
  for (const command of install?.bootstrap ?? []) rows.push(['then runs', command])
  rows.push(...listKeys(manifest).map(toRow))
  if (auth.type === 'oauth' && auth.env_var === undefined)
    rows.push(['signs in', auth.provider === undefined ? 'with a browser' : `with a browser at ${auth.provider}`])
  return [safeLine(`${name}: ${description}`), ...formatColumns(rows).map((line) => `  ${line}`)]
}

function toRow({ name, prompt, required }: CatalogKey): [string, string] {
  return [required ? 'needs' : 'can use', prompt === undefined ? name : `${name}: ${prompt}`]
}

/** As it would be typed into a shell. */
function quote(word: string): string {
  return /^[\w@%+=:,./\\${}-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}
