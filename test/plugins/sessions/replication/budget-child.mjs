/**
 * A process of a home of its own that spends from one budget until it is used up, and prints how often it could. Arguments: the folder
 * of the package, URL, prefix, dollars of each part.
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const [installed, url, prefix, usd] = process.argv.slice(2)
const load = (file) => import(pathToFileURL(join(installed, 'dist/sdk', file)).href)
const [{ testKernel }, { Budgets }, { SharedScopes }] = await Promise.all(
  ['testing.js', 'safety.js', 'store.js'].map(load),
)
const kernel = await testKernel({
  plugins: ['budgets', 'replication', 'storage-postgres'],
  env: { SVC_STORAGE_URL: url },
  config: { storage: { prefix } },
})
await kernel.use(SharedScopes).follow()
const budget = kernel.use(Budgets).open('crawl', { usd: 1 })
process.stdout.write('ready\n')
await once(process.stdin, 'data')
let count = 0
for (;;) {
  try {
    const part = await budget.hold('search', { usd: Number(usd) })
    part.settle({ costUsd: Number(usd) })
    count++
  } catch (error) {
    if (error.code !== 'BUDGET_EXCEEDED') throw error
    break
  }
}
process.stdout.write(`${count}\n`)
await kernel.stop()
process.exit(0)
