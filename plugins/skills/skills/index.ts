import { CliCommands, createTranslator, definePlugin, Home, PromptParts, Secrets, SlashCommands, Tools } from 'svc/sdk'
import { DashboardRoutes } from 'svc/sdk/dashboard'
import { CommandProviders } from 'svc/sdk/host'
import { ReadableFolders } from 'svc/sdk/safety'
import { LearningSources, Skills } from 'svc/sdk/skills'
import { skillsCliCommand } from './cli.ts'
import { reloadCommand, skillCommands, skillsCommand } from './commands.ts'
import { isOffered, judge } from './conditions.ts'
import { type Config, config } from './config.ts'
import { curatorCommand } from './curator/cli.ts'
import { curatorRoutes } from './curator/routes.ts'
import { startCare } from './curator/start.ts'
import { EMPTY_BOOK, editBook } from './edits.ts'
import { editsCommand } from './edits-cli.ts'
import { findEnvironments } from './environments.ts'
import { expandMessages } from './expand-messages.ts'
import { Expansions } from './expansions.ts'
import { learnCommand } from './learn.ts'
import { createLearningSource } from './learning.ts'
import { manageTool } from './manage-tool.ts'
import { listOwnFolders, openLibrary } from './open-library.ts'
import { trustCommands } from './project/commands.ts'
import { createProjects } from './project/projects.ts'
import { skillsIndex } from './prompt-part.ts'
import { addSkills, createSkills } from './service.ts'
import { stagedCommands } from './staged/cli.ts'
import { findMissing } from './text.ts'
import { skillTools } from './tools.ts'
import { writeRoutes } from './write-routes.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const skills = () => ctx.use(Skills)
    const edits = ctx.state('edits', { schema: editBook, initial: EMPTY_BOOK })
    const root = () => ctx.use(Home).path('skills')
    const own = () => listOwnFolders(ctx)
    const projects = createProjects(own, async () => (await import('./project/open.ts')).openProjects(ctx, own))
    const library = openLibrary(ctx, edits)
    const getVariable = (name: string) => ctx.use(Secrets).get(name)
    let environments: readonly string[] | undefined
    const conditions = () => ({
      config: ctx.config,
      platform: process.platform,
      environments: () => (environments ??= findEnvironments(getVariable)),
      toolset: (name: string) => ctx.all(Tools).get(name)?.toolset,
    })
    const expansions = new Expansions()
    const care = startCare(ctx, edits)
    ctx.provide(Skills, () =>
      createSkills({
        library,
        projects,
        conditions,
        note: (name, what) => care.usage.note(name, what),
        getVariable,
        home: () => ctx.use(Home).dir,
        substitutes: ctx.config.template_vars,
        settings: ctx.config.config,
        expansions,
        edits: () => edits.get(),
      }),
    )
    const toolNames = () =>
      ctx
        .all(Tools)
        .all()
        .map(({ name }) => name)
    for (const tool of skillTools(skills, toolNames)) ctx.add(Tools, tool)
    const openManage = async () => (await import('./open-manage.ts')).openManage(ctx, edits)
    ctx.add(Tools, manageTool(openManage, ctx.config.write_approval))
    ctx.add(PromptParts, skillsIndex(skills, projects, ctx.config.index_bytes))

    // Outside of the gateway all work is in one folder, whose commands are those of its project.
    const here = ctx.process.role === 'gateway' ? undefined : process.cwd()
    const known = () =>
      addSkills(library.known(), here === undefined ? [] : projects.known(here))
        .map((skill) => judge(skill, {}, conditions()))
        .filter(isOffered)
    const deps = { skills, known, manage: openManage, t: createTranslator(ctx) }
    ctx.add(CommandProviders, skillCommands(deps))
    ctx.add(SlashCommands, skillsCommand(deps))
    ctx.add(SlashCommands, reloadCommand(deps))
    ctx.add(SlashCommands, learnCommand(expansions))
    expandMessages(ctx, expansions)
    ctx.add(
      CliCommands,
      skillsCliCommand(skills, (skill) => findMissing(skill, { getVariable, home: ctx.use(Home).dir }), [
        editsCommand(edits),
        ...stagedCommands(openManage),
        ...trustCommands(ctx, own),
      ]),
    )
    ctx.add(CliCommands, curatorCommand(care.open))
    const curator = async () => (await care.open()).curator
    const learning = { skills, edits: () => edits.get(), manage: openManage, curator, t: deps.t }
    ctx.add(LearningSources, createLearningSource(learning))
    for (const route of [...curatorRoutes(care.open), ...writeRoutes(openManage)]) ctx.add(DashboardRoutes, route)
    // Scripts and references of skills are used where commands and file tools work.
    ctx.add(ReadableFolders, { name: ctx.name, path: root() })
    // Commands are asked for without waiting: what there is has to be known before the first line is typed.
    ctx.onStart(async () => {
      await library.all()
      await projects.list(here)
    })
  },
})
