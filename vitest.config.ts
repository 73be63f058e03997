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

/** Those that kill for real, wait for real, or play whole days: `npm run test:slow`. */
const slow = ['test/faults/**/*.test.ts', 'test/scenarios/**/*.test.ts', 'test/plugins/rehearsal/**/*.test.ts']

export default defineConfig({
  ssr: { resolve: { conditions: ['svc-source'] } },
  resolve: { conditions: ['svc-source'] },
  test: {
    projects: [
      { extends: true, test: { name: 'quick', include: ['test/**/*.test.ts'], exclude: slow } },
      { extends: true, test: { name: 'slow', include: slow } },
    ],
    testTimeout: 20_000,
    hookTimeout: 20_000,
    maxWorkers: 2,
    sequence: { sequencer: LongFirst },
  },
})
