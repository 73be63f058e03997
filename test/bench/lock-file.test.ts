import { describe, expect, it } from 'vitest'
import { productionFolders } from './lock-file.ts'

describe('the production closure of a lock file', () => {
  it('follows dependencies of dependencies, and leaves development out', () => {
    const packages = {
      '': { dependencies: { web: '1' }, devDependencies: { tester: '1' } },
      'node_modules/web': { dependencies: { wire: '1' } },
      'node_modules/wire': {},
      'node_modules/tester': { dependencies: { asserter: '1' } },
      'node_modules/asserter': {},
    }
    expect(productionFolders({ packages })).toEqual(['node_modules/web', 'node_modules/wire'])
  })

  it('finds the copy that Node would find', () => {
    const packages = {
      '': { dependencies: { a: '1', b: '1' } },
      'node_modules/a': { dependencies: { deep: '2' } },
      'node_modules/a/node_modules/deep': { dependencies: { b: '1' } },
      'node_modules/deep': {},
      'node_modules/b': {},
    }
    expect(productionFolders({ packages })).toEqual([
      'node_modules/a',
      'node_modules/a/node_modules/deep',
      'node_modules/b',
    ])
  })

  it('counts peers that must be there, not those that may', () => {
    const packages = {
      '': { dependencies: { plugin: '1' } },
      'node_modules/plugin': {
        peerDependencies: { host: '1', compiler: '1' },
        peerDependenciesMeta: { compiler: { optional: true } },
      },
      'node_modules/host': { optionalDependencies: { faster: '1', elsewhere: '1' } },
      'node_modules/faster': {},
      'node_modules/compiler': {},
    }
    expect(productionFolders({ packages })).toEqual(['node_modules/faster', 'node_modules/host', 'node_modules/plugin'])
  })

  it('does not run in circles', () => {
    const packages = {
      '': { dependencies: { hen: '1' } },
      'node_modules/hen': { dependencies: { egg: '1' } },
      'node_modules/egg': { dependencies: { hen: '1' } },
    }
    expect(productionFolders({ packages })).toEqual(['node_modules/egg', 'node_modules/hen'])
  })
})
