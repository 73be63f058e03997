/** The mutations as a table for people. */
import { mutations } from '../../mutations/list.ts'
import { code, table } from './markdown.ts'

export function mutationsTable(): string {
  const lists = [...mutations()]
  const sums = lists.map(([name, list]) => {
    const killed = list.filter(({ survives }) => survives !== true).length
    return [code(name), String(list.length), String(killed)]
  })
  const all = lists.flatMap(([, list]) => list)
  const killed = all.filter(({ survives }) => survives !== true).length
  const total = ['all', String(all.length), `${killed} (${Math.round((killed / all.length) * 100)} %)`]
  const rows = all.map(({ name, file, breaks, survives }) => [code(name), code(file), survives ? 'no' : 'yes', breaks])
  return [
    table(['List', 'Mutations', 'Killed'], [...sums, total]),
    table(['Mutation', 'File', 'Killed', 'What it breaks'], rows),
  ].join('\n\n')
}
