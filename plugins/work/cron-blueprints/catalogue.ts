/** The blueprints that come with svc. */
import { type Blueprint, type BlueprintField, deliverField } from './blueprint.ts'

const time = (fallback: string): BlueprintField => ({ name: 'time', type: 'time', label: 'Time', default: fallback })
const days = (fallback = 'daily'): BlueprintField => ({
  name: 'days',
  type: 'weekdays',
  label: 'Days',
  default: fallback,
  help: 'daily, weekdays, weekends, or days such as mon,wed,fri',
})
const text = (name: string, label: string, more: Partial<BlueprintField>): BlueprintField => ({
  ...{ name, type: 'text', label },
  ...more,
})
const choice = (name: string, label: string, options: readonly string[], fallback: string): BlueprintField => ({
  ...{ name, type: 'enum', label, options, default: fallback, strict: true },
})

const DAILY = '{time} * * {days}'

const list: readonly Blueprint[] = [
  {
    key: 'morning-brief',
    title: 'Morning brief',
    description: 'What the day brings: date, weather, appointments and headlines, in one short message',
    category: 'Day',
    tags: ['morning', 'news', 'calendar'],
    fields: [
      time('07:30'),
      days(),
      text('place', 'Place', { optional: true, help: 'For the weather, such as Bern' }),
      text('topics', 'Topics', { optional: true, help: 'For the headlines, such as energy, cycling' }),
    ],
    schedule: DAILY,
    prompt: [
      'Write the brief for today: the date, then appointments and tasks of today as far as your tools show them.',
      'Give the weather in {place} in one line.',
      'Add up to five headlines about {topics}, each in one line with its source.',
      'Use 15 lines at most, and leave out what you could not find.',
    ],
  },
  {
    key: 'important-mail',
    title: 'Important mail',
    description: 'Looks for new mail that cannot wait, and is silent otherwise. Needs a tool that reads mail',
    category: 'Inbox',
    tags: ['mail', 'watch'],
    fields: [
      choice('every', 'Look every', ['15m', '30m', '1h', '2h'], '30m'),
      text('important', 'What is important', {
        default: 'deadlines, questions to me, and mail from people I answered',
      }),
    ],
    schedule: 'every {every}',
    prompt: [
      'Read the mail that arrived in the last {every} and was not read yet; change nothing in the mailbox.',
      'Important is: {important}.',
      'For each important mail write one line with sender, matter and what is asked.',
      'If no mail is important, there is nothing to tell.',
    ],
  },
  {
    key: 'weekly-review',
    title: 'Weekly review',
    description: 'What was done in the week, what is open, and three suggestions for the next one',
    category: 'Work',
    tags: ['review', 'planning'],
    fields: [time('16:00'), days('fri'), text('focus', 'Focus', { optional: true, help: 'Such as the thesis' })],
    schedule: DAILY,
    prompt: [
      'Review the last seven days from the sessions, tasks and notes that your tools show.',
      'List what was completed, what is open, and what was promised to others.',
      'Look at {focus} first.',
      'End with three things to do first next week.',
    ],
  },
  {
    key: 'workday-start',
    title: 'Start of the workday',
    description: 'A short plan: appointments, open tasks, and the one to begin with',
    category: 'Work',
    tags: ['planning', 'tasks'],
    fields: [time('08:45'), days('weekdays'), text('project', 'Project', { optional: true })],
    schedule: DAILY,
    prompt: [
      'Plan the workday from the appointments and open tasks that your tools show.',
      'Put work on {project} first.',
      'Name one task to begin with and why, then at most five others in their order, with a rough time for each.',
    ],
  },
  {
    key: 'custom-reminder',
    title: 'Reminder',
    description: 'Reminds you of something at the same time on the days you choose',
    category: 'Day',
    tags: ['reminder'],
    fields: [text('text', 'Remind me of', { example: 'Water the plants' }), time('09:00'), days()],
    schedule: DAILY,
    prompt: ['Remind the user in one friendly sentence of this: {text}', 'Use no tools.'],
    name: '{text}',
  },
  {
    key: 'evening-winddown',
    title: 'End of the day',
    description: 'Looks back on the day and forward to tomorrow, so that the evening is free',
    category: 'Day',
    tags: ['evening', 'planning'],
    fields: [time('20:30'), days()],
    schedule: DAILY,
    prompt: [
      'Help the user to close the day, in eight lines at most.',
      'Say what was done today as far as your tools show it, what can wait, and what comes first tomorrow.',
      'End with one calm suggestion for the evening.',
    ],
  },
  {
    key: 'news-digest',
    title: 'News digest',
    description: 'The news about your topics, with sources and without repetitions',
    category: 'Reading',
    tags: ['news'],
    fields: [
      text('topics', 'Topics', { example: 'open source, trains' }),
      choice('count', 'Items', ['3', '5', '10'], '5'),
      time('18:00'),
      days(),
    ],
    schedule: DAILY,
    prompt: [
      'Search the web for news of the last day about: {topics}.',
      'Pick the {count} that matter most; tell one event once, however many wrote of it.',
      'For each give two sentences and a link to the source.',
      'If nothing new is found, there is nothing to tell.',
    ],
  },
  {
    key: 'bill-renewal-watch',
    title: 'Bills and renewals',
    description: 'Warns some days before a bill is due or a contract renews, and is silent otherwise',
    category: 'Home',
    tags: ['money', 'reminder', 'watch'],
    fields: [
      text('bills', 'Bills and renewals', {
        example: 'rent on the 1st, domain on 12 March',
        help: 'With their dates: rent on the 1st, domain on 12 March',
      }),
      choice('ahead', 'Days ahead', ['1', '3', '7', '14'], '3'),
      time('09:00'),
    ],
    schedule: '{time} * * *',
    prompt: [
      'These bills and renewals come up: {bills}.',
      'Name each one whose next date is exactly {ahead} days from today, or today, with the date and the number of days left.',
      'If that is true of no entry, there is nothing to tell.',
    ],
  },
  {
    key: 'habit-checkin',
    title: 'Habit check-in',
    description: 'Asks how a habit went, and encourages without preaching',
    category: 'Health',
    tags: ['habit'],
    fields: [text('habit', 'Habit', { example: 'reading for 20 minutes' }), time('21:00'), days()],
    schedule: DAILY,
    prompt: [
      'Ask the user in two sentences how this habit went today: {habit}.',
      'Recall earlier answers if your tools show some, and name the present streak.',
      'Be kind about days that were missed.',
    ],
  },
  {
    key: 'hydration-move',
    title: 'Drink and move',
    description: 'A nudge to drink water and stand up, in the hours you choose',
    category: 'Health',
    tags: ['health', 'break'],
    fields: [
      choice('every', 'Hours between', ['1', '2', '3'], '2'),
      choice('hours', 'Between which hours', ['8-17', '9-18', '10-20'], '9-18'),
      days('weekdays'),
    ],
    schedule: '0 {hours}/{every} * * {days}',
    prompt: [
      'Write one short line that suggests a glass of water and one movement of a minute.',
      'Suggest another movement each time.',
      'Use no tools.',
    ],
  },
  {
    key: 'meal-plan',
    title: 'Meal plan',
    description: 'Dinners for the coming week with one shopping list',
    category: 'Home',
    tags: ['food', 'planning'],
    fields: [
      time('10:00'),
      days('sat'),
      choice('people', 'People', ['1', '2', '3', '4', '5', '6'], '2'),
      text('diet', 'Diet', { optional: true, help: 'Such as vegetarian, no nuts' }),
    ],
    schedule: DAILY,
    prompt: [
      'Plan seven dinners for {people} people from what is in season; each takes 40 minutes at most.',
      'Keep strictly to this diet: {diet}.',
      'Give one line for each day, then one shopping list in the order of a shop, with amounts.',
    ],
  },
  {
    key: 'learn-daily',
    title: 'Learn something daily',
    description: 'A lesson of five minutes on your subject, with a question at the end',
    category: 'Reading',
    tags: ['learning'],
    fields: [
      text('subject', 'Subject', { example: 'Italian verbs' }),
      choice('level', 'Level', ['beginner', 'intermediate', 'advanced'], 'beginner'),
      time('12:30'),
      days('weekdays'),
    ],
    schedule: DAILY,
    prompt: [
      'Write the next lesson about {subject} for the level {level}: one idea, one example, 150 words at most.',
      'Build on earlier lessons if your tools show them, and repeat none.',
      'End with one question that tests the idea.',
    ],
  },
  {
    key: 'gratitude-journal',
    title: 'Gratitude journal',
    description: 'One question in the evening that helps you to write down what was good',
    category: 'Health',
    tags: ['journal', 'evening'],
    fields: [time('21:30'), days()],
    schedule: DAILY,
    prompt: [
      'Ask the user one open question that helps to recall something good of today, in at most two sentences.',
      'Choose another angle each time: people, work, body, surroundings, small luck.',
      'Use no tools.',
    ],
  },
  {
    key: 'on-this-day',
    title: 'On this day',
    description: 'What happened on this date, in history or in your own notes',
    category: 'Reading',
    tags: ['history'],
    fields: [
      time('08:00'),
      days(),
      { ...choice('about', 'About', ['history', 'science', 'music', 'my notes'], 'history'), strict: false },
    ],
    schedule: DAILY,
    prompt: [
      'Tell what happened on this date in earlier years, about: {about}.',
      'Give three entries with their years, each in two sentences, and check each date.',
      'If you cannot confirm any, there is nothing to tell.',
    ],
  },
]

export const catalogue: readonly Blueprint[] = list.map((each) => ({
  ...each,
  fields: [...each.fields, deliverField()],
}))

/** Useful to most people without a value of their own: suggested where nothing is scheduled yet. */
export const STARTERS = ['morning-brief', 'weekly-review']
