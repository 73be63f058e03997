/** Tasks that need a person. */
import { formatColumns, hasFlag, printJson } from 'svc/sdk/kit/terminal'
import type { Action } from './cli.ts'
import { getText } from './values.ts'

export const doctor: Action = async (boards, input, io) => {
  const found = await boards.diagnose(getText(input, 'board'))
  const findings = found.map(({ kind, severity, task, detail, fix }) => {
    return { kind, severity, taskId: task.id, detail, fix }
  })
  if (hasFlag(input, 'json')) printJson(io, { findings })
  else if (findings.length === 0) io.out('Nothing needs a person.\n')
  else
    for (const line of formatColumns(findings.map((one) => [one.severity, one.taskId, one.kind, one.detail, one.fix])))
      io.out(`${line}\n`)
  return findings.length > 0 ? 1 : 0
}
