/** Runs the cases of a contract without a test runner, as `svc plugins verify` does. */
import type { ContractCase } from 'svc/sdk/testing'

/** The names of the cases that fail, with the sentence each failed with. */
export async function failingCases(cases: readonly ContractCase[]): Promise<Record<string, string>> {
  const failed: Record<string, string> = {}
  for (const { name, run } of cases)
    await run().catch((error: Error) => {
      failed[name] = error.message
    })
  return failed
}
