/** Checks of what an address answers. The guard of addresses decides about it and about each redirect. */
import { errorMessage } from 'svc/sdk'
import type { TaskCheck } from 'svc/sdk/kanban'
import type { CheckDeps, CheckResult } from './checks.ts'

type HttpCheck = Extract<TaskCheck, { type: 'http' }>

const MAX_BODY = 1_048_576

export async function checkHttp(check: HttpCheck, { ask, log }: CheckDeps, signal: AbortSignal): Promise<CheckResult> {
  const { url, status = 200, contains } = check
  try {
    const response = await ask(url, signal)
    const text = contains === undefined ? '' : await response.text(MAX_BODY)
    response.close()
    if (response.status !== status) return { isMet: false, detail: `${url} answered ${response.status}, not ${status}` }
    if (contains === undefined || text.includes(contains)) return { isMet: true, detail: `${url} answered ${status}` }
    return { isMet: false, detail: `${url} answered ${status} without ${JSON.stringify(contains.slice(0, 80))}` }
  } catch (error) {
    if (signal.aborted) throw error
    log.info('the address of a check gave no answer', { url, error })
    return { isMet: false, detail: `${url} gave no answer: ${errorMessage(error)}` }
  }
}
