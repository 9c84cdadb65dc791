import { agent, client, methods, ndJsonStream, RequestError } from '@agentclientprotocol/sdk/unstable'
import { expect, test } from 'vitest'
import { chooseModel, currentModel } from './acp-model.ts'

const select = (category: string, currentValue: string, values: readonly unknown[]) => ({
  id: `the-${category}`,
  name: category,
  category,
  type: 'select',
  currentValue,
  options: values.map((value) => (typeof value === 'string' ? { value, name: value } : value)),
})
const MODELS = select('model', 'small', ['small', 'maker/large'])

/** Chooses by the SDK's own two sides, in this process. @param answers what the agent says to a choice. */
async function choose(
  answer: Readonly<Record<string, unknown>>,
  asked: Parameters<typeof chooseModel>[2],
  answers: (params: unknown) => object = () => ({}),
) {
  const sent: unknown[] = []
  const [toAgent, toClient] = [new TransformStream<Uint8Array>(), new TransformStream<Uint8Array>()]
  const take = ({ params }: { params: unknown }) => {
    sent.push(params)
    return answers(params)
  }
  const [anything, whatever] = [(value: unknown) => value, (value: unknown) => value]
  agent({ name: 'test' })
    .onRequest(methods.agent.session.setConfigOption, anything, take)
    .onRequest('session/set_model', whatever, take)
    .connect(ndJsonStream(toClient.writable, toAgent.readable))
  const connection = client({ name: 'treeline' }).connect(ndJsonStream(toAgent.writable, toClient.readable))
  const chosen = await chooseModel(connection.agent, { sessionId: 's', answer }, asked)
  connection.close()
  return { chosen, sent }
}

test('what the agent uses is known where it says it', async () => {
  expect(currentModel([select('mode', 'build', []), MODELS])).toBe('small')
  expect(currentModel([{ ...MODELS, type: 'boolean' }])).toBeUndefined()
  expect(currentModel(undefined)).toBeUndefined()
  expect((await choose({ configOptions: [MODELS] }, undefined)).chosen).toEqual({ model: 'small' })
  expect((await choose({}, undefined)).chosen).toEqual({ model: undefined })
})

test.each([
  ['by maker and name', { provider: 'maker', model: 'large' }, 'maker/large'],
  ['by its whole name', { provider: 'any', model: 'maker/large' }, 'maker/large'],
])('a model is chosen %s', async (_, asked, value) => {
  const { chosen, sent } = await choose({ configOptions: [MODELS] }, asked)
  expect(sent).toEqual([{ sessionId: 's', configId: 'the-model', value }])
  expect(chosen).toEqual({ model: value })
})

test('of groups of models, and from before there were config options', async () => {
  const group = { group: 'g', name: 'G', options: [{ value: 'maker/huge', name: 'Huge' }] }
  const grouped = { configOptions: [select('model', 'small', [group])] }
  expect((await choose(grouped, { provider: 'maker', model: 'huge' })).chosen.model).toBe('maker/huge')
  const models = { currentModelId: 'a', availableModels: [{ modelId: 'a' }, { modelId: 'b' }] }
  const { chosen, sent } = await choose({ models }, { provider: 'x', model: 'b' })
  expect(sent).toEqual([{ sessionId: 's', modelId: 'b' }])
  expect(chosen).toEqual({ model: 'b' })
})

test('the one that is used already is not chosen again', async () => {
  const { chosen, sent } = await choose({ configOptions: [MODELS] }, { provider: 'x', model: 'small' })
  expect(sent).toEqual([])
  expect(chosen).toEqual({ model: 'small' })
})

test('what is not offered is said, with what is, and only so many', async () => {
  const many = Array.from({ length: 30 }, (_, index) => `m${index}`)
  const { chosen } = await choose({ configOptions: [select('model', 'm0', many)] }, { provider: 'x', model: 'huge' })
  expect(chosen.model).toBe('m0')
  expect(chosen.trouble).toMatch(/^The agent does not offer the model huge\. It offers: m0, m1, .*m19, and 10 more\.$/)
  expect((await choose({}, { provider: 'x', model: 'huge' })).chosen.trouble).toBe(
    'The agent offers no choice of model, so huge was not chosen.',
  )
})

test('an agent that refuses, or takes another, is believed', async () => {
  const asked = { provider: 'maker', model: 'large' }
  const refused = await choose({ configOptions: [MODELS] }, asked, () => {
    throw new RequestError(-32603, 'Not today')
  })
  expect(refused.chosen).toEqual({ model: 'small', trouble: expect.stringContaining('Not today') })
  const other = await choose({ configOptions: [MODELS] }, asked, () => ({ configOptions: [MODELS] }))
  expect(other.chosen).toEqual({
    model: 'small',
    trouble: 'The agent was asked for the model maker/large and uses small.',
  })
})

test('the reasoning effort is chosen among those of the model that was chosen', async () => {
  const asked = { provider: 'maker', model: 'large', reasoningEffort: 'high' }
  const after = { configOptions: [select('model', 'maker/large', []), select('thought_level', 'low', ['low', 'high'])] }
  const { chosen, sent } = await choose({ configOptions: [MODELS] }, asked, () => after)
  expect(sent).toEqual([
    { sessionId: 's', configId: 'the-model', value: 'maker/large' },
    { sessionId: 's', configId: 'the-thought_level', value: 'high' },
  ])
  expect(chosen).toEqual({ model: 'maker/large' })
  const none = await choose({ configOptions: [MODELS] }, asked)
  expect(none.chosen).toEqual({
    model: 'maker/large',
    trouble: 'The agent offers no choice of reasoning effort, so high was not chosen.',
  })
})
