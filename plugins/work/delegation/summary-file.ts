/** Keeps answers of subagents that are too long for the model of their parent whole, in files that it may read. */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { PluginContext } from 'svc/sdk'
import { keepNewest, writeAtomically } from 'svc/sdk/kit/files'
import type { ChildResult } from './delegation.ts'
import { fitSummary } from './summary.ts'

const MAX_FILES = 200

export const summaryFolder = ({ dataDir }: Pick<PluginContext<unknown>, 'dataDir'>): string =>
  join(dataDir, 'summaries')

export async function storeSummary(
  ctx: Pick<PluginContext<unknown>, 'dataDir'>,
  id: string,
  text: string,
  budget: number,
): Promise<Pick<ChildResult, 'summary' | 'summary_truncated' | 'summary_full_path'>> {
  const folder = summaryFolder(ctx)
  const path = join(folder, `${id}.md`)
  const { text: summary, isCut } = fitSummary(text, budget, path)
  if (!isCut) return { summary }
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await writeAtomically(path, text)
  await keepNewest(folder, MAX_FILES)
  return { summary, summary_truncated: true, summary_full_path: path }
}
