/** Folders of skills on disk, and a kernel with the plugin. */
import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Skills } from 'svc/sdk/skills'
import { fakeProvider, fakeTalk, type ScriptedReply, testKernel } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'

export const skillText = (name: string, description: string, body = `Do ${name}.`, more = '') =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n\n${body}\n`

let time = 1_700_000_000

/** Writes files below a folder, each with another time than the one before. */
export function write(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [path, text] of Object.entries(files)) {
    const file = join(folder, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
    utimesSync(file, ++time, time)
  }
  return folder
}

type Options = NonNullable<Parameters<typeof testKernel>[0]> & {
  readonly files?: Readonly<Record<string, string>>
  readonly replies?: readonly ScriptedReply[]
}

/** A kernel whose home has these files. */
export async function open({
  files = {},
  replies = ['ok'],
  with: more = [],
  config = {},
  home = temporaryFolder(),
  ...options
}: Options = {}) {
  write(home, files)
  const model = fakeProvider(replies)
  const kernel = await testKernel({
    home,
    plugins: ['skills', 'conversation', 'prompt'],
    with: [model.plugin, ...more],
    config: { model: { provider: 'fake', default: 'fake-1' }, ...config },
    ...options,
  })
  onTestFinished(() => kernel.stop())
  const lastText = (role: string) => model.requests.at(-1)?.messages.findLast((message) => message.role === role)?.text
  return { home, kernel, model, lastText, skills: kernel.use(Skills), talk: () => fakeTalk(kernel) }
}
