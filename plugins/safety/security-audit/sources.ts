/** What svc itself and its plugins consist of. */

import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { errorMessage } from 'svc/sdk'
import type { PluginInfo } from 'svc/sdk/host'
import type { AuditList, AuditSource } from 'svc/sdk/safety'
import { findOwnPackage, listNpmPackages } from './npm-packages.ts'
import { listPythonPins } from './python-pins.ts'

/** The packages that this svc runs on. `plugin`: one that came with it. */
export function packagesSource(plugin: () => PluginInfo | undefined): AuditSource {
  return {
    name: 'packages',
    kind: 'packages',
    async list() {
      const dir = plugin()?.dir
      return dir === undefined ? { components: [] } : listNpmPackages(findRoot(dir), 'svc')
    },
  }
}

/** Plugins that did not come with svc, and what they need. */
export function pluginsSource(list: () => readonly PluginInfo[]): AuditSource {
  return {
    name: 'plugins',
    kind: 'plugins',
    async list() {
      const found = list()
        .filter(({ origin }) => origin !== 'built-in' && origin !== 'embedded')
        .map(listPlugin)
      return {
        components: found.flatMap(({ components }) => components),
        notes: found.flatMap(({ notes = [] }) => notes),
      }
    },
  }
}

function listPlugin({ manifest, origin, dir }: PluginInfo): AuditList {
  const source = `plugin ${manifest.name}`
  try {
    const own = origin === 'npm' ? findOwnPackage(dir, source) : undefined
    const [npm, python] = [listNpmPackages(dir, source), listPythonPins(dir, source)]
    return {
      components: [...(own ? [own] : []), ...npm.components, ...python.components],
      notes: [...(npm.notes ?? []), ...(python.notes ?? [])],
    }
  } catch (error) {
    return { components: [], notes: [`${source}: ${errorMessage(error)}`] }
  }
}

/** The folder of the installation: the nearest one above with a package.json. */
function findRoot(from: string): string {
  for (let dir = from; ; dir = dirname(dir))
    if (existsSync(join(dir, 'package.json')) || dirname(dir) === dir) return dir
}
