import { homedir } from 'node:os'
import { join, resolve } from 'node:path'
import {
  CliCommands,
  Clock,
  createTranslator,
  definePlugin,
  Home,
  PromptParts,
  Random,
  Secrets,
  SlashCommands,
  Tools,
} from 'svc/sdk'
import { CommandProviders, Plugins } from 'svc/sdk/host'
import { ReadableFolders } from 'svc/sdk/safety'
import { SkillDirs, SkillOrigins, SkillScanner, Skills } from 'svc/sdk/skills'
import { skillsCliCommand } from './cli.ts'
import { reloadCommand, skillCommands, skillsCommand } from './commands.ts'
import { isOffered, judge } from './conditions.ts'
import { type Config, config } from './config.ts'
import { EMPTY_BOOK, editBook } from './edits.ts'
import { editsCommand } from './edits-cli.ts'
import { expandMessages } from './expand-messages.ts'
import { Expansions } from './expansions.ts'
import { HeaderCache } from './header-cache.ts'
import { learnCommand } from './learn.ts'
import { SkillLibrary } from './library.ts'
import { manageTool } from './manage-tool.ts'
import { trustCommands } from './project/commands.ts'
import { createProjects } from './project/projects.ts'
import { skillsIndex } from './prompt-part.ts'
import { collectRoots } from './roots.ts'
import { addSkills, createSkills } from './service.ts'
import { skillTools } from './tools.ts'

export default definePlugin<Config>({
  config,
  setup(ctx) {
    const skills = () => ctx.use(Skills)
    const edits = ctx.state('edits', { schema: editBook, initial: EMPTY_BOOK })
    const root = () => ctx.use(Home).path('skills')
    const folders = () => ctx.config.external_dirs.map((path) => resolve(path.replace(/^~(?=$|[/\\])/, homedir())))
    const own = () => [root(), ...folders()]
    const projects = createProjects(own, async () => (await import('./project/open.ts')).openProjects(ctx, own))
    const library = new SkillLibrary({
      clock: () => ctx.use(Clock),
      log: ctx.log,
      headers: new HeaderCache(join(ctx.dataDir, 'headers.json'), ctx.log),
      roots: () =>
        collectRoots({
          home: root(),
          created: edits.get().created.map(({ folder }) => folder),
          folders: folders(),
          dirs: ctx.all(SkillDirs),
          records: ctx.all(SkillOrigins),
        }),
    })
    const conditions = () => ({
      config: ctx.config,
      platform: process.platform,
      toolset: (name: string) => ctx.all(Tools).get(name)?.toolset,
    })
    const expansions = new Expansions()
    ctx.provide(Skills, () =>
      createSkills({
        library,
        projects,
        conditions,
        getVariable: (name) => ctx.use(Secrets).get(name),
        substitutes: ctx.config.template_vars,
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
    ctx.add(
      Tools,
      manageTool({
        skills,
        edits,
        root: root(),
        staging: join(ctx.dataDir, 'staging'),
        clock: () => ctx.use(Clock),
        random: () => ctx.use(Random),
        scanner: () => ctx.use(Plugins).bring(SkillScanner),
        mask: (text) => ctx.use(Secrets).mask(text),
        needsApproval: ctx.config.write_approval,
      }),
    )
    ctx.add(PromptParts, skillsIndex(skills, projects, ctx.config.index_bytes))

    // Outside of the gateway all work is in one folder, whose commands are those of its project.
    const here = ctx.process.role === 'gateway' ? undefined : process.cwd()
    const known = () =>
      addSkills(library.known(), here === undefined ? [] : projects.known(here))
        .map((skill) => judge(skill, {}, conditions()))
        .filter(isOffered)
    const deps = { skills, known, t: createTranslator(ctx) }
    ctx.add(CommandProviders, skillCommands(deps))
    ctx.add(SlashCommands, skillsCommand(deps))
    ctx.add(SlashCommands, reloadCommand(deps))
    ctx.add(SlashCommands, learnCommand(expansions))
    expandMessages(ctx, expansions)
    ctx.add(CliCommands, skillsCliCommand(skills, [editsCommand(edits), ...trustCommands(ctx, own)]))
    // Scripts and references of skills are used where commands and file tools work.
    ctx.add(ReadableFolders, { name: ctx.name, path: root() })
    // Commands are asked for without waiting: what there is has to be known before the first line is typed.
    ctx.onStart(async () => {
      await library.all()
      await projects.list(here)
    })
  },
})
