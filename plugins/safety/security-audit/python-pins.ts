/** Exact versions of Python packages in `requirements*.txt` and `pyproject.toml`. */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { AuditComponent, AuditList } from 'svc/sdk/safety'

/** Name, extras, and the version after `==` or `===`: https://packaging.python.org/en/latest/specifications/dependency-specifiers/ */
const PIN = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*={2,3}\s*([^\s;,#\\]+)/
const NAMED = /^([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*(?:\[[^\]]*\])?\s*(?:[<>~!=@;]|$)/
/** A list of requirements in pyproject.toml: the value of `dependencies`, or a list in an optional group. */
const LIST = /^[\w-]+\s*=\s*\[([^[\]]*(?:\[[^\]]*\][^[\]]*)*)\]/gm
const QUOTED = /"([^"\n]*)"|'([^'\n]*)'/g

/** Requirements without an exact version become notes. */
export function listPythonPins(dir: string, source: string): AuditList {
  const files = readdirSync(dir).filter((name) => /^requirements.*\.txt$/.test(name) || name === 'pyproject.toml')
  const components: AuditComponent[] = []
  const notes: string[] = []
  for (const file of files.sort())
    for (const requirement of readRequirements(join(dir, file), file)) {
      const [, name, version] = PIN.exec(requirement) ?? []
      if (name !== undefined && version !== undefined && !version.includes('*'))
        components.push({ name: normalizeName(name), version, ecosystem: 'PyPI', source: `${source} (${file})` })
      else {
        const named = NAMED.exec(requirement)?.[1]
        if (named !== undefined) notes.push(`${source}: ${named} in ${file} is not pinned with ==.`)
      }
    }
  return { components, notes }
}

function readRequirements(path: string, file: string): string[] {
  const text = readFileSync(path, 'utf8')
  if (file !== 'pyproject.toml') return text.split(/\r?\n/).map((line) => line.trim())
  const project = text.split(/^\[(?=[^\]]+\]\s*$)/m).filter((table) => /^project[.\]]|^dependency-groups\]/.test(table))
  return project.flatMap((table) =>
    [...table.matchAll(LIST)]
      .filter(([line]) => /^dependencies\b/.test(line) || !table.startsWith('project]'))
      .flatMap(([, list = '']) =>
        [...list.matchAll(QUOTED)].map(([, double, single]) => (double ?? single ?? '').trim()),
      ),
  )
}

/** https://packaging.python.org/en/latest/specifications/name-normalization/ */
function normalizeName(name: string): string {
  return name.toLowerCase().replace(/[-_.]+/g, '-')
}
