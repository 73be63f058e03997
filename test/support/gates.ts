/** What the gates, and the people whom they bring in, say of a call: as the agent asks them. */
import { Approvals, BeforeToolCall, type ToolContext } from 'svc/sdk'
import type { RegisteredTool } from 'svc/sdk/host'
import type { TestKernel } from 'svc/sdk/testing'

export async function passGates(
  kernel: TestKernel,
  tool: RegisteredTool,
  input: unknown,
  turn: ToolContext,
): Promise<{ readonly allow: boolean; readonly reason?: string }> {
  const { name } = tool
  const acts = (await tool.acts?.(input, turn)) ?? {}
  const verdict = await kernel.call(BeforeToolCall, { name, input, tool, acts, turn })
  if (verdict?.decision !== 'ask') return verdict ?? { allow: true }
  const about = { tool: name, action: acts.command ?? name }
  return kernel.use(Approvals).request(verdict.questions ?? [], about, turn)
}
