import { test } from 'vitest'
import { FOLDERS, tellStories } from './stories.ts'

const STORIES = 5

test(`${STORIES * FOLDERS} random sequences of edits and rollbacks bring back trees that are the same byte by byte, and so do these`, () =>
  tellStories(STORIES))
