/** What the tests of the file tools share: a folder with files, and the tools as the agent has them. */
import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { type ToolResult, Tools } from 'svc/sdk'
import { fakeToolTurn, type TestKernel, testKernel } from 'svc/sdk/testing'
import { removeFolder } from '../../../support/remove-folder.ts'

/** A folder of a test's own, with files in it. */
export interface Workspace extends Disposable {
  readonly path: string
  /** The absolute path of something in it. */
  at(name: string): string
  /** Writes a file and the folders it needs. */
  put(name: string, content: string | Uint8Array): string
}

/** Makes a folder that ends with the test. */
export function workspace(files: Readonly<Record<string, string | Uint8Array>> = {}): Workspace {
  const path = realpathSync(mkdtempSync(join(tmpdir(), 'svc-files-')))
  const at = (name: string) => join(path, name)
  const put = (name: string, content: string | Uint8Array) => {
    mkdirSync(dirname(at(name)), { recursive: true })
    writeFileSync(at(name), content)
    return at(name)
  }
  for (const [name, content] of Object.entries(files)) put(name, content)
  return { path, at, put, [Symbol.dispose]: () => removeFolder(path) }
}

/** The file tools in a running kernel. */
export interface FileTools extends AsyncDisposable {
  readonly kernel: TestKernel
  /** Calls a tool as the agent does: the input parsed, the turn in `cwd`. */
  call<Data = unknown>(
    name: string,
    input: object,
    cwd: string,
    signal?: AbortSignal,
    place?: { readonly sessionId?: string; readonly callId?: string },
  ): Promise<ToolResult & { readonly data: Data }>
}

/** Opens a kernel with the file tools. `secret` is in its `.env`. */
export async function fileTools(
  secret = 'unused-secret',
  env: Readonly<Record<string, string>> = {},
): Promise<FileTools> {
  const kernel = await testKernel({ plugins: ['tool-files'], env: { SOME_API_KEY: secret, ...env } })
  return {
    kernel,
    async call<Data>(name: string, input: object, cwd: string, signal = new AbortController().signal, place = {}) {
      const tool = kernel.all(Tools).get(name)
      if (tool === undefined) throw new Error(`there is no tool ${name}`)
      const parsed = await tool.input['~standard'].validate(input)
      if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
      const turn = fakeToolTurn({ sessionId: 's', cwd, signal, ...place })
      return (await tool.run(parsed.value, turn)) as ToolResult & { readonly data: Data }
    },
    [Symbol.asyncDispose]: () => kernel.stop(),
  }
}
