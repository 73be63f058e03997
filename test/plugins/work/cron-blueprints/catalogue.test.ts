/** The blueprints that come with svc: each is complete, and makes the job that it says. */
import { findThreat } from 'svc/sdk/kit/text'
import { expect, test } from 'vitest'
import { catalogue, STARTERS } from '../../../../plugins/work/cron-blueprints/catalogue.ts'
import { fillBlueprint, formatExample, type Values } from '../../../../plugins/work/cron-blueprints/fill.ts'
import { readDays, toCronDays } from '../../../../plugins/work/cron-blueprints/weekdays.ts'
import { readSlots } from '../../../../plugins/work/cron-blueprints/words.ts'
import { open } from './stage.ts'

const find = (key: string) => {
  const found = catalogue.find((each) => each.key === key)
  if (!found) throw new Error(`no blueprint ${key}`)
  return found
}
const fill = (key: string, values: Values = {}) => fillBlueprint(find(key), values)
const failing = (key: string, values: Values) => {
  try {
    fill(key, values)
    return undefined
  } catch (error) {
    return error
  }
}

test('there are the fourteen of the specification, and each can be filled with its own example and scheduled', async () => {
  expect(catalogue.map(({ key }) => key)).toEqual([
    ...['morning-brief', 'important-mail', 'weekly-review', 'workday-start', 'custom-reminder', 'evening-winddown'],
    ...['news-digest', 'bill-renewal-watch', 'habit-checkin', 'hydration-move', 'meal-plan', 'learn-daily'],
    ...['gratitude-journal', 'on-this-day'],
  ])
  const { cron } = await open()
  for (const blueprint of catalogue) {
    const { prompt, schedule, name } = fillBlueprint(
      blueprint,
      readSlots([formatExample(blueprint) ?? ''].filter(Boolean)),
    )
    expect(await cron.preview(await cron.parse(schedule)), blueprint.key).toHaveLength(5)
    expect(`${prompt} ${schedule} ${name}`).not.toMatch(/[{}…]|undefined/)
    expect(prompt.length).toBeLessThan(700)
    expect(findThreat(prompt)).toBeUndefined()
    for (const { name: field, type, options, default: standard } of blueprint.fields) {
      expect(
        `${blueprint.schedule} ${blueprint.prompt.join()}${blueprint.name}`.includes(`{${field}}`) ||
          field === 'deliver',
      ).toBe(true)
      if (type === 'enum' && standard !== undefined) expect(options).toContain(standard)
    }
    expect(blueprint.fields.at(-1)?.name).toBe('deliver')
  }
  for (const key of STARTERS) expect(formatExample(find(key))).toBeUndefined()
})

test('values become a schedule and a prompt; sentences about what was left out are not in it', () => {
  expect(fill('morning-brief', { time: '6:05', days: 'Mon-Wed, sunday', place: ' Bern ' })).toMatchObject({
    values: { time: '06:05', days: 'mon,tue,wed,sun', place: 'Bern', topics: '', deliver: 'origin' },
    schedule: '5 6 * * mon,tue,wed,sun',
    prompt: expect.stringMatching(/weather in Bern in one line\. Use 15 lines/),
    deliver: ['origin'],
  })
  expect(fill('hydration-move', { every: '3' }).schedule).toBe('0 9-18/3 * * mon-fri')
  expect(fill('important-mail').schedule).toBe('every 30m')
  expect(fill('on-this-day', { about: 'chess' }).prompt).toContain('about: chess.')
  // What is typed is not read once more.
  expect(fill('custom-reminder', { text: 'the {time} of {days}' })).toMatchObject({
    name: 'the {time} of {days}',
    prompt: expect.stringContaining('of this: the {time} of {days}'),
  })
  expect(fill('weekly-review', { deliver: 'telegram:5, file' }).deliver).toEqual(['telegram:5', 'file'])
})

test('what cannot be is refused with the name of the field and what it takes', () => {
  const wrong = (param: string, message: RegExp) => ({
    code: 'BLUEPRINT_VALUE',
    status: 422,
    param,
    message: expect.stringMatching(message),
  })
  expect(failing('custom-reminder', {})).toMatchObject(
    wrong('text', /needs text \(Remind me of\)\. Example: text="Water the plants"/),
  )
  expect(failing('morning-brief', { time: '24:00' })).toMatchObject(wrong('time', /such as 08:30, not "24:00"/))
  expect(failing('morning-brief', { time: '8:6' })).toMatchObject(wrong('time', /a time/))
  expect(failing('morning-brief', { days: 'someday' })).toMatchObject(wrong('days', /daily, weekdays, weekends/))
  expect(failing('learn-daily', { subject: 'x', level: 'expert' })).toMatchObject(
    wrong('level', /beginner, intermediate, advanced/),
  )
  expect(failing('morning-brief', { days: ' ' })).toMatchObject(wrong('days', /needs days .* Example: days="daily"/))
  expect(failing('morning-brief', { tiem: '8' })).toMatchObject(
    wrong('tiem', /has no value "tiem"\. It takes: time, days/),
  )
  expect(failing('custom-reminder', { text: 'x'.repeat(501) })).toMatchObject(wrong('text', /at most 500/))
  expect(failing('custom-reminder', { text: 'a\u202eb' })).toMatchObject(
    wrong('text', /cannot be used: it holds invisible characters/),
  )
})

test('days are read as people write them, and values without quotes keep all their words', () => {
  expect(['daily', 'WEEKDAYS', 'sat sun', 'fri,mon', 'thurs', 'mon-sun', 'wed-fri'].map(readDays)).toEqual([
    ...['daily', 'weekdays', 'weekends', 'mon,fri', 'thu', 'daily', 'wed,thu,fri'],
  ])
  expect(['fri-mon', 'mo', '', 'mon-', 'a-b-c', 'mon-tue-wed', 'constructor'].map(readDays)).toEqual(
    Array(7).fill(undefined),
  )
  expect(['daily', 'weekends', 'mon,fri'].map(toCronDays)).toEqual(['*', 'sat,sun', 'mon,fri'])
  expect(readSlots(['text=Water', 'the', 'plants', 'TIME=8:00'])).toEqual({ text: 'Water the plants', time: '8:00' })
  expect(readSlots(['text="Water', 'them"', "days='mon'"])).toEqual({ text: 'Water them', days: 'mon' })
  expect(() => readSlots(['tomorrow'])).toThrow(/slot=value/)
})
