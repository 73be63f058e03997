/** The documentation in the terminal: guides, built-in plugins and plugins of the user. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { testKernel } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { agreeTo } from '../../../support/consent.ts'
import { manifests } from '../../../support/repository.ts'
import { temporaryFolder, writeFiles } from '../../../support/temporary.ts'

interface Listed {
  readonly documents: readonly { readonly name: string; readonly kind: string; readonly description: string }[]
}

const OWN = { name: 'my-notes', version: '1.0.0', sdk: '^0.2.0', kind: 'tool', description: 'Notes of mine.' }

/** With a plugin of the user whose README is this; `linkTo` replaces it after the user has agreed to the plugin. */
async function open(readme: string, linkTo?: string) {
  const home = temporaryFolder()
  const folder = join(home, 'plugins', OWN.name)
  mkdirSync(folder, { recursive: true })
  const code = 'export default { setup() {} }\n'
  writeFiles(folder, { 'plugin.json': JSON.stringify(OWN), 'index.ts': code, 'README.md': readme })
  agreeTo(home, OWN.name)
  if (linkTo !== undefined) {
    rmSync(join(folder, 'README.md'))
    symlinkSync(linkTo, join(folder, 'README.md'))
  }
  const kernel = await testKernel({ plugins: ['docs'], home })
  onTestFinished(() => kernel.stop())
  return kernel
}

test('the guides come first, then every plugin with what it is for', async () => {
  const kernel = await open('# my-notes\n\nKeeps notes.\n')
  const { documents } = JSON.parse((await kernel.run(['docs', '--json'])).out) as Listed
  const guides = documents.filter(({ kind }) => kind === 'guide').map(({ name }) => name)
  expect(guides).toEqual(['svc', 'changelog', 'contributing', 'cookbook', 'sdk'])
  const names = documents.slice(guides.length).map(({ name }) => name)
  expect(names).toEqual([...manifests().map(({ name }) => name), OWN.name].sort())
  expect((await kernel.run(['docs'])).out).toMatch(/^my-notes +tool +Notes of mine\.$/m)
})

test('a document is shown without its title, marks of generators, and links that lead nowhere', async () => {
  const text = [
    '# my-notes\n\nSee ![a picture](x.svg)[the code](./index.ts) and [a page](https://example.com/a).\n',
    '<!-- config:start -->\n\nNothing to configure.\n\n<!-- config:end -->\n\u001b[2Jdone\n',
  ].join('')
  const kernel = await open(text)
  const { out, code } = await kernel.run(['docs', 'my-notes'])
  expect(code).toBe(0)
  expect(out).toBe(
    'my-notes\n\nSee the code and [a page](https://example.com/a).\n\nNothing to configure.\n\n\ufffd[2Jdone\n',
  )
})

test('code stays as it is, also where it looks like a link, and the code in the text of a link', async () => {
  const code = '```ts\nhandlers[name](event) // <!-- not a comment -->\n```'
  const kernel = await open(`# my-notes\n\nSee [\`hooks\`](./hooks.md), \`list[0](x)\`.\n\n${code}\n`)
  const { out } = await kernel.run(['docs', 'my-notes'])
  expect(out).toBe(`my-notes\n\nSee \`hooks\`, \`list[0](x)\`.\n\n${code}\n`)
})

test('an unknown name is refused with similar ones', async () => {
  const kernel = await open('# my-notes\n')
  const { code, err } = await kernel.run(['docs', 'telegram'])
  expect(code).toBe(1)
  expect(err).toContain('There is no documentation of "telegram". Similar: platform-telegram. List all: svc docs')
})

test('a README that leads out of the folder of its plugin is not shown', async () => {
  const secret = join(temporaryFolder(), 'secret')
  writeFileSync(secret, 'a secret')
  const kernel = await open('# my-notes\n', secret)
  expect((await kernel.run(['docs', 'my-notes'])).err).toContain('There is no documentation of "my-notes"')
})
