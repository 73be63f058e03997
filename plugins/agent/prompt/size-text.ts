/** The report of `svc prompt-size` for people. */
import type { Feature, SizeReport } from './size.ts'

export function sizeText(report: SizeReport): string {
  const { system_prompt, tools, total_bytes, budget_bytes } = report
  const parts = report.parts.map((part) => row(`  ${part.tier} ${part.name}`, part.bytes, note(part)))
  const each = tools.each.map((tool) => row(`  ${tool.name}`, tool.json_bytes, tool.plugin))
  const verdict = report.within_budget ? 'within' : 'OVER'
  const lines = [
    `First request on ${report.platform} in ${report.cwd}`,
    '',
    row('System prompt', system_prompt.bytes, `${count(system_prompt.chars)} characters`),
    ...parts,
    row('Tools', tools.json_bytes, `${tools.count} tools`),
    ...each,
    row('Together', total_bytes, `about ${count(report.estimated_tokens)} tokens`),
    '',
    row('Skills index', report.skills_index.bytes, report.skills_index.reason),
    row('Memory', report.memory.bytes, report.memory.reason),
    row('User profile', report.user_profile.bytes, report.user_profile.reason),
    '',
    `${Math.round((total_bytes / budget_bytes) * 100)} % of the budget of ${count(budget_bytes)} bytes: ${verdict} it.`,
  ]
  return `${lines.join('\n')}\n`
}

function note({ plugin, failed }: { readonly plugin: string; readonly failed?: string }): string {
  return failed === undefined ? plugin : `${plugin}, failed: ${failed}`
}

function row(label: string, bytes: Feature['bytes'], remark = ''): string {
  return `${label.padEnd(28)}${count(bytes).padStart(8)} bytes  ${remark}`.trimEnd()
}

function count(value: number): string {
  return value.toLocaleString('en-US')
}
