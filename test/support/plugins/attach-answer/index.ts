/** Sends long answers of chats as a file, too. */
import { definePlugin } from 'svc/sdk'
import { SelectAnswerFiles } from 'svc/sdk/media'

const LONG = 2000

export default definePlugin({
  setup(ctx) {
    ctx.on(SelectAnswerFiles, (followUp, { answer }) => {
      if (answer.length < LONG) return followUp
      ctx.log.info('works', { characters: answer.length })
      const file = { id: 'answer', name: 'answer.md', bytes: Buffer.from(answer) }
      return { ...followUp, files: [...followUp.files, file] }
    })
  },
})
