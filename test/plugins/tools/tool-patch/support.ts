/** What the tests of the patch tool share: a folder with files, and the tools as the agent has them. */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ToolResult, Tools } from 'svc/sdk'
import { fakeToolTurn, type TestKernel, testKernel } from 'svc/sdk/testing'
import type { PatchData } from '../../../../plugins/tools/tool-patch/patch.ts'
import { removeFolder } from '../../../support/remove-folder.ts'

/** A folder of a test's own and a kernel with the tools; both end with the test. */
export interface Bench extends AsyncDisposable {
  readonly kernel: TestKernel
  readonly path: string
  at(name: string): string
  put(name: string, content: string | Uint8Array): void
  get(name: string): string
  /** Calls a tool as the agent does: the input parsed, the turn in the folder. */
  call(name: string, input: object): Promise<ToolResult & { readonly data: PatchData }>
  replace(path: string, old: string, after: string, all?: 'all'): Promise<ToolResult & { readonly data: PatchData }>
  patch(...lines: readonly string[]): Promise<ToolResult & { readonly data: PatchData }>
}

/** Opens one. */
export async function bench(files: Readonly<Record<string, string | Uint8Array>> = {}): Promise<Bench> {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'svc-patch-')))
  const kernel = await testKernel({
    plugins: ['tool-patch'],
    env: { SOME_API_KEY: 'canary-secret' },
  })
  const at = (name: string) => join(path, name)
  const put = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), content)
  }
  for (const [name, content] of Object.entries(files)) put(name, content)
  const call = async (name: string, input: object) => {
    const tool = kernel.all(Tools).get(name)
    if (tool === undefined) throw new Error(`there is no tool ${name}`)
    const parsed = await tool.input['~standard'].validate(input)
    if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
    const turn = fakeToolTurn({ cwd: path })
    return (await tool.run(parsed.value, turn)) as ToolResult & { readonly data: PatchData }
  }
  return {
    ...{ kernel, path, at, put, call },
    get: (name) => readFileSync(at(name), 'utf8'),
    replace: (file, old, after, all) =>
      call('patch', { path: file, old_string: old, new_string: after, ...(all ? { replace_all: true } : {}) }),
    patch: (...lines) =>
      call('patch', { mode: 'patch', patch: ['*** Begin Patch', ...lines, '*** End Patch'].join('\n') }),
    async [Symbol.asyncDispose]() {
      await kernel.stop()
      removeFolder(path)
    },
  }
}
