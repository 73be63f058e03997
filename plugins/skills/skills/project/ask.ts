/** Skills of a project that no person has decided about are asked about when a conversation begins. */
import type { PromptContext, TurnContext, TurnEventData } from 'svc/sdk'
import type { People } from 'svc/sdk/host'
import type { SkillScanner } from 'svc/sdk/skills'
import type { PluginState } from 'svc/sdk/storage'
import { type Agreements, decide } from './agreements.ts'
import { describeSkill, isDangerous, type Scanned, scanAll } from './describe.ts'
import type { ProjectDeps, ProjectSkill } from './project-skills.ts'

/** Without an answer until then the skills are left out. */
const AGREE_MS = 600_000
/** Further ones wait for `svc skills trust`: a longer question is not read. */
const MAX_ASKED = 10

export interface AskDeps extends Pick<ProjectDeps, 'clock'> {
  readonly state: PluginState<Agreements>
  people(): People | undefined
  scanner(): Promise<SkillScanner | undefined>
  mask(text: string): string
}

/** The start of a conversation. */
export type At = Pick<TurnContext, 'sessionId' | 'turnId' | 'cwd'> & { readonly occasion: PromptContext }

/** Asks once for all. What is not agreed to, and what the scan finds dangerous, is said with what to do. */
export async function askAboutSkills(deps: AskDeps, skills: readonly ProjectSkill[], at: At): Promise<void> {
  const open = skills.filter(({ standing }) => standing === 'new' || standing === 'changed')
  if (open.length === 0) return
  const scanned = await scanAll(open.slice(0, MAX_ASKED), await deps.scanner(), at.occasion.signal)
  const asked = scanned.filter((each) => !isDangerous(each))
  const answer = asked.length > 0 ? await ask(deps, asked, at) : undefined
  if (answer !== undefined)
    await decide(
      deps.state,
      asked.map(({ skill }) => skill),
      { isAgreed: answer, at: deps.clock().now() },
    )
  const left = open.filter((skill) => answer !== true || !asked.some((each) => each.skill === skill))
  if (left.length > 0) at.occasion.emit({ type: 'notice', text: formatLeftOut(left, scanned, at.cwd) })
}

async function ask({ people, mask }: AskDeps, asked: readonly Scanned[], at: At): Promise<boolean | undefined> {
  const { occasion, sessionId, turnId, cwd } = at
  const texts = await Promise.all(asked.map(describeSkill))
  const turn = { turnId, signal: occasion.signal, emit: (event: TurnEventData) => occasion.emit(event) }
  const answer = await people()
    ?.of(sessionId, { turn })
    .choose(
      {
        title: mask(`Skills of the project in ${cwd} that you have not agreed to:\n\n${texts.join('\n\n')}`),
        items: [
          { id: 'agree', label: 'Let the model use them' },
          { id: 'refuse', label: 'Leave them out' },
        ],
      },
      { timeoutMs: AGREE_MS },
    )
  if (answer === 'agree') return true
  return answer === 'refuse' ? false : undefined
}

function formatLeftOut(left: readonly ProjectSkill[], scanned: readonly Scanned[], cwd: string): string {
  const names = left.map((skill) => {
    const isBad = scanned.some((each) => each.skill === skill && isDangerous(each))
    const note = isBad ? ' (the scan found danger)' : skill.standing === 'changed' ? ' (changed)' : ''
    return `${skill.skill.name}${note}`
  })
  return `Skills of this project are left out: ${names.join(', ')}. To see them and to agree: svc skills trust ${JSON.stringify(cwd)}`
}
