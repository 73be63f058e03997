import { readdirSync } from 'node:fs'
import { expect, test } from 'vitest'
import { packageJson, read, root } from '../support/repository.ts'

/** All there is at the top, besides what git ignores. */
const topLevel = [
  '.ci',
  '.dockerignore',
  '.gitignore',
  'CHANGELOG.md',
  'CONTRIBUTING.md',
  'Dockerfile',
  'LICENSE',
  'README.md',
  'biome.json',
  'builtin-skills',
  'compose.yaml',
  'examples',
  'home',
  'install.ps1',
  'install.sh',
  'kernel',
  'loader',
  'optional-mcps',
  'package-lock.json',
  'package.json',
  'plugins',
  'program',
  'sdk',
  'test',
  'tsconfig.build.json',
  'tsconfig.json',
  'vitest.config.ts',
]

test('the top level holds what the map says and nothing else', () => {
  const ignored = read('.gitignore')
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
  const beingBuilt = /^dist\.\d+/
  const found = readdirSync(root).filter((name) => {
    return name !== '.git' && !ignored.includes(name) && !beingBuilt.test(name) && !name.endsWith('.tgz')
  })
  expect(found.sort()).toEqual(topLevel)
})

interface LockedPackage {
  readonly version?: string
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

test('every optional package of the lock file has an entry, so that it installs on every platform', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> }
  const missing = Object.entries(packages).flatMap(([at, { optionalDependencies = {} }]) => {
    return Object.keys(optionalDependencies)
      .filter((name) => !packages[`${at}/node_modules/${name}`] && !packages[`node_modules/${name}`])
      .map((name) => `${at} wants ${name}`)
  })
  expect(missing).toEqual([])
})

test('every package of package.json is pinned in the lock file', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as { packages: Record<string, LockedPackage> }
  const names = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies })
  expect(names.filter((name) => !packages[`node_modules/${name}`]?.version)).toEqual([])
})

test('CI runs the tests and then the check, and the check sees the tests of types', () => {
  const ci = read('.ci/run')
  expect(ci.indexOf('npm test')).toBeGreaterThan(-1)
  expect(ci.indexOf('npm run check')).toBeGreaterThan(ci.indexOf('npm test'))
  expect(packageJson.scripts['check']).toMatch(/\btsc -p \./)
  expect((JSON.parse(read('tsconfig.json')) as { include: string[] }).include).toContain('test')
})
