/** How the page looks: a skin of the terminal, or dark and light as the system has it. */

import { skins } from 'svc:skins'
import { effect } from '@preact/signals'
import { stored } from './api.ts'

/** Name of a skin; empty: as the system has it. */
export const chosenSkin = stored('skin', '')

effect(() => {
  const root = document.documentElement
  if (skins.some(({ name }) => name === chosenSkin.value)) root.dataset['skin'] = chosenSkin.value
  else delete root.dataset['skin']
})

export { skins }
