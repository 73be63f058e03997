/** Adds a note of the team to those of each project. */
import { definePlugin } from 'svc/sdk'
import { SelectProjectNotes } from 'svc/sdk/sessions'

export default definePlugin({
  setup(ctx) {
    ctx.on(SelectProjectNotes, (notes) => {
      ctx.log.info('works', { files: notes.map(({ path }) => path) })
      return [...notes, { path: 'team.md', text: 'Commit messages are in English.' }]
    })
  },
})
