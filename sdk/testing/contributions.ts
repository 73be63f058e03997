/** The contracts of everything a plugin contributes, as far as they can be run without accounts. */
import assert from 'node:assert/strict'
import { CliCommands } from '../cli.ts'
import { type SlashCommand, SlashCommands } from '../commands.ts'
import { DashboardPages } from '../dashboard-pages.ts'
import type { ExtensionPoint } from '../declarations.ts'
import { type Platform, Platforms } from '../platforms.ts'
import { type PromptPart, PromptParts } from '../prompt.ts'
import { Providers } from '../providers.ts'
import { Sessions } from '../sessions.ts'
import { SharedViews } from '../shared-views.ts'
import { type Tool, Tools } from '../tools.ts'
import type { ContractCase } from './contracts/contract.ts'
import { dashboardPageContract, sharedViewContract } from './contracts/pages.ts'
import { lonelyPlatformContract } from './contracts/platform.ts'
import { providerContract } from './contracts/provider.ts'
import { type ToolSample, toolContract } from './contracts/tool.ts'
import type { TestKernel } from './kernel.ts'
import { fakeTurn } from './turn.ts'

/** Calls to try, by tool. @since 0.2 */
export type ToolSamples = Readonly<Record<string, readonly ToolSample[]>>

/** A case whose `run` may give a sentence about why it cannot be run here. */
export interface ContributionCase {
  readonly name: string
  run(): Promise<unknown>
}

/** The cases for what `plugin` contributes now. */
export function contributionCases(kernel: TestKernel, plugin: string, samples: ToolSamples): ContributionCase[] {
  const of = <T>(point: ExtensionPoint<T>): readonly T[] => {
    const all = kernel.all(point)
    return all.all().filter((item) => all.owner(point.key(item)) === plugin)
  }
  return [
    ...of(Tools).flatMap((tool) => toolCases(kernel, tool, samples[tool.name])),
    ...of(Providers).flatMap((provider) =>
      named(
        `provider ${provider.name}`,
        providerContract(() => ({ provider })),
      ),
    ),
    ...of(Platforms).flatMap((platform) => platformCases(platform)),
    ...of(SlashCommands).map((command) => slashCommandCase(command)),
    ...of(DashboardPages).flatMap((page) => named(`page ${page.name}`, dashboardPageContract(page))),
    ...of(SharedViews).flatMap((view) => named(`view ${view.name}`, sharedViewContract(view))),
    ...of(PromptParts).map((part) => promptPartCase(part)),
    ...of(CliCommands).map(({ name }) => cliCase(kernel, name)),
  ]
}

function named(subject: string, cases: readonly ContractCase[]): ContractCase[] {
  return cases.map(({ name, run }) => ({ name: `${subject}: ${name}`, run }))
}

function toolCases(kernel: TestKernel, tool: Tool, samples: readonly ToolSample[] = []): ContributionCase[] {
  const sessions = samples.length > 0 ? kernel.find(Sessions) : undefined
  const turn = sessions ? { sessionId: sessions.create({ surface: 'cli', cwd: '/' }).id } : {}
  const cases: ContributionCase[] = named(`tool ${tool.name}`, toolContract(tool, samples, turn))
  if (samples.length) return cases
  return [...cases, untried(`tool ${tool.name}: answers`, 'no sample calls were given')]
}

function platformCases(platform: Platform): ContributionCase[] {
  const cases: ContributionCase[] = named(`platform ${platform.name}`, lonelyPlatformContract(platform))
  const reason = 'the service cannot be reached; run platformContract in a separate test'
  return [...cases, untried(`platform ${platform.name}: sends and receives`, reason)]
}

function untried(name: string, reason: string): ContributionCase {
  return { name, run: async () => reason }
}

function slashCommandCase({ name, aliases = [], description, category = 'Plugins' }: SlashCommand): ContractCase {
  return {
    name: `command /${name}: can be typed and is explained`,
    run: async () => {
      for (const word of [name, ...aliases])
        assert.match(word, /^[a-z][a-z0-9-]*$/, `"/${word}" cannot be typed everywhere`)
      assert.ok(description.trim() && category.trim(), 'it has no description or category')
    },
  }
}

function promptPartCase({ name, tier, text }: PromptPart): ContractCase {
  return {
    name: `prompt part ${name}: gives text, the same each time where it is stable`,
    run: async () => {
      const ask = (sessionId: string) => {
        return text({ ...fakeTurn({ sessionId, turnId: `${sessionId}-1`, cwd: process.cwd() }), tools: [] })
      }
      const [one, two] = [await ask('one'), await ask('two')]
      assert.ok(one === undefined || typeof one === 'string', 'it gives something else than text')
      if (tier === 'stable') assert.equal(two, one, 'it is stable but differs between two sessions')
    },
  }
}

function cliCase(kernel: TestKernel, name: string): ContractCase {
  return {
    name: `svc ${name}: explains itself with --help`,
    run: async () => {
      const { code, out } = await kernel.run([name, '--help'])
      assert.equal(code, 0, `svc ${name} --help ended with ${code}`)
      assert.ok(out.includes('Usage'), `svc ${name} --help printed: ${out}`)
    },
  }
}
