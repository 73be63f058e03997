/** A kernel with the memory tool, and a way to call it as a turn does. */
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Tool, type ToolResult, Tools } from 'svc/sdk'
import { People, unreachablePerson } from 'svc/sdk/host'
import { fakeToolTurn, type TestKernel, testKernel } from 'svc/sdk/testing'

export interface MemoryStage {
  readonly kernel: TestKernel
  call(input: object, turnId?: string, origins?: readonly string[]): Promise<ToolResult>
  /** The text of a file below `memories`, or undefined. */
  file(name: string): string | undefined
}

export async function memoryStage(options: Parameters<typeof testKernel>[0] = {}): Promise<MemoryStage> {
  const kernel = await testKernel({ plugins: ['tool-memory'], ...options })
  return {
    kernel,
    async call(input, turnId = 't1', origins = []) {
      const tool = kernel.all(Tools).get('memory') as Tool
      const parsed = await tool.input['~standard'].validate(input)
      if (parsed.issues) throw new Error(parsed.issues.map(({ message }) => message).join())
      const turn = fakeToolTurn({
        turnId,
        cwd: kernel.home,
        origins: () => origins,
        person: kernel.find(People)?.of('s') ?? unreachablePerson,
      })
      const result = await tool.run(parsed.value, turn)
      return result as ToolResult
    },
    file(name) {
      const path = join(kernel.home, 'memories', name)
      return existsSync(path) ? readFileSync(path, 'utf8') : undefined
    },
  }
}
