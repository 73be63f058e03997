/** Adds pictures that a message names. */
import { definePlugin } from 'svc/sdk'
import { SelectUserImages } from 'svc/sdk/hooks'

export default definePlugin({
  setup(ctx) {
    ctx.on(SelectUserImages, (images, { text }) => {
      ctx.log.info('works', { images: images.length, characters: text.length })
      return images
    })
  },
})
