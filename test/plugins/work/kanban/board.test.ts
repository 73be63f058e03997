/** The boards in files: their contract, and what only files and clocks of machines can come to. */
import { Boards } from 'svc/sdk/kanban'
import { testKernel, virtualClock } from 'svc/sdk/testing'
import { expect, onTestFinished, test } from 'vitest'
import { drawDiagram, TRANSITIONS } from '../../../../plugins/work/kanban/transitions.ts'
import { boardContract } from '../../../support/kanban/contract.ts'
import { read } from '../../../support/repository.ts'
import { temporaryFolder } from '../../../support/temporary.ts'

async function start(home = temporaryFolder(), clock = virtualClock()) {
  const kernel = await testKernel({ plugins: ['kanban'], home, clock })
  onTestFinished(() => kernel.stop())
  return { kernel, boards: kernel.use(Boards), clock }
}

boardContract(start)

test('the diagram in the README is that of the table', () => {
  expect(read('plugins/work/kanban/README.md')).toContain(`\`\`\`mermaid\n${drawDiagram(TRANSITIONS)}\n\`\`\``)
})
