/** The parts of the plugin, each given what it needs of the others. */
import { join } from 'node:path'
import { AuxiliaryModels, Clock, type PluginContext, Random, Secrets } from 'svc/sdk'
import { ApprovalAnswered, ApprovalRequested } from 'svc/sdk/hooks'
import { Seals } from 'svc/sdk/safety'
import { CommandKnowledge, ShellCommandAnalysis } from 'svc/sdk/shell'
import { Storage } from 'svc/sdk/storage'
import { SharedTables } from 'svc/sdk/store'
import type { Config } from './config.ts'
import { Gate } from './gate.ts'
import { Answers, PendingApprovals } from './pending-approvals.ts'
import { Questions } from './questions.ts'
import { sharedTables } from './shared.ts'
import type { Adviser } from './smart.ts'
import { ApprovalStore } from './store.ts'
import { isSwitchedOff } from './switched-off.ts'

/** What the plugin is made of. */
export interface Components {
  readonly store: ApprovalStore
  readonly pending: PendingApprovals
  readonly questions: Questions
  readonly gate: Gate
}

export function createComponents(ctx: PluginContext<Config>): Components {
  const file = join(ctx.dataDir, 'approvals.db')
  const store = new ApprovalStore(
    () => ctx.use(Storage),
    () => ctx.use(Seals),
    file,
  )
  ctx.add(SharedTables, sharedTables(file, store))
  const clock = () => ctx.use(Clock)
  const pending = new PendingApprovals({
    answers: ctx.keep('answers', () => new Answers()),
    store: () => store,
    clock,
    log: ctx.log,
    announce: (request) => void ctx.call(ApprovalRequested, request),
    announceAnswer: (answered) => void ctx.call(ApprovalAnswered, answered),
  })
  let adviser: Promise<Adviser> | undefined
  const loadAdviser = async () => {
    const smart = await import('./smart.ts')
    const mask = (text: string) => ctx.use(Secrets).mask(text)
    return new smart.Adviser({ models: () => ctx.find(AuxiliaryModels), clock, mask, log: ctx.log })
  }
  const questions = new Questions({
    config: ctx.config,
    pending: pending,
    store,
    clock,
    random: () => ctx.use(Random),
    log: ctx.log,
    adviser: () => {
      adviser ??= loadAdviser()
      return adviser
    },
  })
  const gate = new Gate({
    config: ctx.config,
    questions: () => questions,
    risks: () => ctx.use(ShellCommandAnalysis),
    knowledge: () => ctx.find(CommandKnowledge) ?? (isSwitchedOff(ctx, CommandKnowledge.id) ? 'off' : undefined),
  })
  return { store, pending: pending, questions, gate }
}
