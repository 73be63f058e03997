/** Skills for the journey: those of the home are what was learned, all others came from elsewhere. */
import type { Translate } from 'svc/sdk'
import { withStatus } from 'svc/sdk/kit/net'
import { escapeUnseen } from 'svc/sdk/kit/terminal'
import type { LearnedEntry, LearningSource, Skill, Skills } from 'svc/sdk/skills'
import type { Curator } from './curator/curator.ts'
import type { EditBook } from './edits.ts'
import type { ManageDeps } from './manage.ts'
import { changeAsPerson, STATUSES } from './write-routes.ts'

export interface LearningDeps {
  readonly t: Translate
  skills(): Skills
  edits(): EditBook
  manage(): Promise<ManageDeps>
  curator(): Promise<Curator>
}

export function createLearningSource(deps: LearningDeps): LearningSource {
  return {
    ...{ name: 'skills', kind: 'skill', title: () => deps.t('Skills') },
    list: async () => Promise.all((await deps.skills().list()).map((skill) => toEntry(deps, skill))),
    read: (id) => withStatus(STATUSES, async () => (await readSource(deps, id)).text),
    edit: (id, { before, after, signal }) =>
      withStatus(STATUSES, async () => {
        const isSame = (text: string) => before === undefined || text === before
        const change = { isSame, accepts: false, signal }
        await changeAsPerson(await deps.manage(), { name: id, content: after }, change)
        return id
      }),
    remove: (id) => withStatus(STATUSES, async () => (await deps.curator()).retire(id)),
    restore: (id) => withStatus(STATUSES, async () => void (await (await deps.curator()).restore(id))),
  }
}

async function toEntry(deps: LearningDeps, skill: Skill): Promise<LearnedEntry> {
  const { name, description, relatedSkills, origin, folder } = skill
  const isOwn = origin === 'user'
  const made = deps.edits().created.findLast((each) => each.folder === folder)
  const { mask } = await deps.manage()
  // What cannot be read is in the list of problems of skills.
  const text = isOwn
    ? await readSource(deps, name).then(
        (source) => source.text,
        () => '',
      )
    : ''
  return {
    ...{ id: name, name, title: `${name}: ${escapeUnseen(description)}`, related: relatedSkills },
    text: mask(text === '' ? description : text),
    ...(made && { at: made.at }),
    ...(made && made.sessionId !== '' && { sessionId: made.sessionId }),
    ...(!isOwn && { isBrought: true }),
    ...{ canEdit: true, canRemove: isOwn },
  }
}

async function readSource(deps: LearningDeps, name: string) {
  const { readSource: read } = await import('./manage.ts')
  return read(await deps.manage(), name)
}
