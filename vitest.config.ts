import { defineConfig } from 'vitest/config'
import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Those that take minutes, the longest first: begun last, they would keep one core busy and the others waiting. */
const long = ['faults/gateway.', 'faults/durable', 'faults/gateway-soak', 'faults/', 'scenarios/']

class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const rank = ({ moduleId }: TestSpecification) => {
      const found = long.findIndex((part) => moduleId.includes(`/test/${part}`))
      return found < 0 ? long.length : found
    }
    return (await super.sort(files)).toSorted((one, two) => rank(one) - rank(two))
  }
}

export default defineConfig({
  ssr: { resolve: { conditions: ['svc-source'] } },
  resolve: { conditions: ['svc-source'] },
  test: {
    include: ['test/**/*.test.ts'],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
  },
})
