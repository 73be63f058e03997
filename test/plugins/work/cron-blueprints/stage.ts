/** A home with skills that bring blueprints, and what is typed there. */
import { CronJobs } from 'svc/sdk/jobs'
import { fakeTalk, testKernel, virtualClock } from 'svc/sdk/testing'
import { onTestFinished } from 'vitest'
import { temporaryFolder } from '../../../support/temporary.ts'
import { skillText, write } from '../../skills/skills/stage.ts'

/** SKILL.md with a blueprint, as YAML of one line. */
export const withBlueprint = (name: string, blueprint: string) =>
  skillText(name, `Does ${name}.`, undefined, `metadata:\n  svc: { blueprint: ${blueprint} }\n`)

export async function open(
  files: Readonly<Record<string, string>> = {},
  { home = temporaryFolder(), ...options }: Parameters<typeof testKernel>[0] = {},
) {
  write(home, files)
  const kernel = await testKernel({
    home,
    plugins: ['cron-blueprints', 'cron-cli', 'cron', 'skills', 'conversation'],
    clock: virtualClock(),
    config: { cron: { timezone: 'UTC' } },
    ...options,
  })
  onTestFinished(() => kernel.stop())
  return {
    ...{ kernel, home, cron: kernel.use(CronJobs) },
    /** What `svc cron ...` prints, or `code error`. */
    async svc(...argv: string[]) {
      const { code, out, err } = await kernel.run(['cron', ...argv])
      return code === 0 ? out : `${code} ${err}`
    },
    talk: (options?: Parameters<typeof fakeTalk>[1]) => fakeTalk(kernel, options),
  }
}
