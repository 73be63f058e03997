/** JavaScript of ours in pages: in a context that the page sees nothing of and whose functions it cannot change. */
import { SvcError } from 'svc/sdk'
import type { BrowserTab, CdpTarget } from 'svc/sdk/web'

/** What `Runtime.evaluate` and `Runtime.callFunctionOn` answer with. */
export interface Evaluated<Result> {
  readonly result: { readonly value?: Result; readonly description?: string; readonly type: string }
  readonly exceptionDetails?: { readonly text: string; readonly exception?: { readonly description?: string } }
}

/** The id of our context in a frame. */
export async function isolatedWorld(target: CdpTarget, frameId: string): Promise<number> {
  const { executionContextId } = await target.send<{ executionContextId: number }>('Page.createIsolatedWorld', {
    frameId,
    worldName: 'svc',
  })
  return executionContextId
}

/** Evaluates an expression in a frame; the result is plain data. Throws `BROWSER_PAGE_FAULT`. */
export async function evaluate<Result>(tab: BrowserTab, frameId: string, expression: string): Promise<Result> {
  const target = tab.target(frameId)
  const contextId = await isolatedWorld(target, frameId)
  return plainValue(
    await target.send<Evaluated<Result>>('Runtime.evaluate', { expression, returnByValue: true, contextId }),
  )
}

/** Calls a function, given as text, with an object of our context as `this`. Throws `BROWSER_PAGE_FAULT`. */
export async function callOn<Result>(
  target: CdpTarget,
  objectId: string,
  source: string,
  values: readonly unknown[],
): Promise<Result> {
  const answer = await target.send<Evaluated<Result>>('Runtime.callFunctionOn', {
    objectId,
    functionDeclaration: source,
    arguments: values.map((value) => ({ value })),
    returnByValue: true,
    userGesture: true,
  })
  return plainValue(answer)
}

function plainValue<Result>({ result, exceptionDetails }: Evaluated<Result>): Result {
  if (!exceptionDetails) return result.value as Result
  const said = exceptionDetails.exception?.description?.split('\n')[0] ?? exceptionDetails.text
  throw new SvcError('BROWSER_PAGE_FAULT', `The page answered with ${said}`)
}
