/**
 * A registry of npm on loopback: package metadata and archives, as the public registry serves them
 * (https://github.com/npm/registry/blob/main/docs/REGISTRY-API.md). What was published stays as it is, and an unknown
 * package or version is answered with 404.
 */
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

interface Published {
  readonly manifest: Readonly<Record<string, unknown>>
  readonly tarball: Buffer
}

export interface NpmRegistry {
  readonly url: string
  /** Paths that were asked for. */
  readonly requests: readonly string[]
  /** Publishes files with the package.json in them; the version becomes `latest`. Throws when the version exists. */
  publish(files: Readonly<Record<string, string>>): void
  /** The same with an archive that exists, and the package.json in it. */
  publishArchive(tarball: Buffer, manifest: Readonly<Record<string, unknown>>): void
  tag(name: string, tag: string, version: string): void
  close(): Promise<void>
}

export async function startNpmRegistry(): Promise<NpmRegistry> {
  const packages = new Map<string, { readonly versions: Map<string, Published>; readonly tags: Map<string, string> }>()
  const requests: string[] = []
  const server = createServer((request, response) => {
    const path = decodeURIComponent(request.url ?? '')
    requests.push(path)
    const archive = /^\/((?:@[^/]+\/)?[^/]+)\/-\/[^/]+-(\d[^/]*)\.tgz$/.exec(path)
    const found = packages.get(archive?.[1] ?? path.slice(1))
    if (request.method !== 'GET' || !found) {
      response.writeHead(found ? 405 : 404, { 'content-type': 'application/json' }).end('{"error":"Not found"}')
      return
    }
    if (archive) {
      const published = found.versions.get(archive[2] ?? '')
      response.writeHead(published ? 200 : 404, { 'content-type': 'application/octet-stream' }).end(published?.tarball)
      return
    }
    const versions = Object.fromEntries([...found.versions].map(([version, { manifest }]) => [version, manifest]))
    const body = { name: path.slice(1), 'dist-tags': Object.fromEntries(found.tags), versions }
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(body))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const publish = (tarball: Buffer, manifest: Readonly<Record<string, unknown>>) => {
    const { name, version } = manifest as { name: string; version: string }
    const known = packages.get(name) ?? { versions: new Map(), tags: new Map() }
    if (known.versions.has(version)) throw new Error(`${name}@${version} is published already`)
    const digest = (kind: string, encoding: 'hex' | 'base64') => createHash(kind).update(tarball).digest(encoding)
    const dist = {
      tarball: `${url}${name}/-/${name.split('/').at(-1)}-${version}.tgz`,
      integrity: `sha512-${digest('sha512', 'base64')}`,
      shasum: digest('sha1', 'hex'),
    }
    known.versions.set(version, { manifest: { ...manifest, dist }, tarball })
    known.tags.set('latest', version)
    packages.set(name, known)
  }
  return {
    url,
    requests,
    publish: (files) => publish(packFiles(files), JSON.parse(files['package.json'] ?? '{}') as Record<string, unknown>),
    publishArchive: publish,
    tag(name, tag, version) {
      packages.get(name)?.tags.set(tag, version)
    },
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}

/** A tarball as npm packs one: everything below `package/`. */
export function packFiles(files: Readonly<Record<string, string>>): Buffer {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pack-'))
  try {
    for (const [name, text] of Object.entries(files)) {
      mkdirSync(dirname(join(folder, 'package', name)), { recursive: true })
      writeFileSync(join(folder, 'package', name), text)
    }
    execFileSync('tar', ['-czf', 'package.tgz', 'package'], { cwd: folder })
    return readFileSync(join(folder, 'package.tgz'))
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
