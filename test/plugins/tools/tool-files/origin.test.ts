import { mkdirSync, mkdtempSync, realpathSync, symlinkSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { findOrigin } from '../../../../plugins/tools/tool-files/origin.ts'

function folder(...files: readonly string[]): string {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'svc-origin-')))
  for (const file of files) {
    mkdirSync(dirname(join(root, file)), { recursive: true })
    writeFileSync(join(root, file), '')
  }
  return root
}

test('files of the project have no origin, wherever in its repository the work is done', async () => {
  const root = folder('p/.git/HEAD', 'p/README.md', 'p/src/a/b.ts')
  expect(
    await findOrigin([join(root, 'p/README.md'), join(root, 'p/src/a/b.ts')], join(root, 'p/src/a')),
  ).toBeUndefined()
  expect(await findOrigin([], '/')).toBeUndefined()
})

test.for([
  ['clone/README.md', 'a file of another repository'],
  ['clone/docs/deep/x.md', 'a file of another repository'],
  ['node_modules/left-pad/readme.md', 'a file of a package'],
  ['lib/vendor/x.md', 'a file of a package'],
  ['../elsewhere/notes.md', 'a file outside of the project'],
  ['link/notes.md', 'a file outside of the project'],
] as const)('%s is %s', async ([file, origin]) => {
  const root = folder('p/.git/HEAD', 'p/clone/.git/HEAD', 'p/clone/docs/deep/x.md', 'elsewhere/notes.md', 'p/a.md')
  symlinkSync(join(root, 'elsewhere'), join(root, 'p/link'))
  expect(await findOrigin([join(root, 'p/a.md'), join(root, 'p', file)], join(root, 'p'))).toBe(origin)
})

test('a home folder and the root are no projects', async () => {
  expect(await findOrigin([join(homedir(), 'page.html')], homedir())).toBe('a file outside of a project')
  expect(await findOrigin(['/page.html'], '/')).toBe('a file outside of a project')
})
