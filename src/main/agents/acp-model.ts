import { methods, type ClientContext } from '@agentclientprotocol/sdk/unstable'
import type { ModelChoice } from '../../shared/tools.ts'
import { fieldsOf, wordOf, type Fields } from './acp-content.ts'
import { requestFailure } from './acp-failure.ts'

/** The models an agent offers for a session, and how one is chosen. */
interface ModelOffer {
  readonly current: string | undefined
  readonly values: readonly string[]
  choose(agent: ClientContext, sessionId: string, value: string): Promise<unknown>
}

export interface ChosenModel {
  /** The model the agent says it uses. */
  readonly model: string | undefined
  /** Why it is not the one that was asked for. */
  readonly trouble?: string
}

const MOST_NAMED = 20

/** Chooses the model that was asked for, where the agent offers it; else the agent's own stays, and it is said why. */
export async function chooseModel(
  agent: ClientContext,
  { sessionId, answer }: { readonly sessionId: string; readonly answer: Fields },
  asked: ModelChoice | undefined,
): Promise<ChosenModel> {
  const offer = offerOf(answer)
  const model = offer?.current
  if (!asked) return { model }
  if (!offer) return { model, trouble: `The agent offers no choice of models, so ${asked.model} was not chosen.` }
  const value = [`${asked.provider}/${asked.model}`, asked.model].find((name) => offer.values.includes(name))
  if (value === undefined) {
    const names = offer.values.slice(0, MOST_NAMED).join(', ')
    return { model, trouble: `The agent does not offer the model ${asked.model}. It offers: ${names}.` }
  }
  if (value === model) return { model }
  try {
    await offer.choose(agent, sessionId, value)
    return { model: value }
  } catch (error) {
    return { model, trouble: requestFailure(`did not choose the model ${value}`, error).message }
  }
}

/** The model that config options say is used. */
export function currentModel(configOptions: unknown): string | undefined {
  return wordOf(modelOption(configOptions)?.['currentValue'])
}

function modelOption(configOptions: unknown): Fields | undefined {
  const options = Array.isArray(configOptions) ? configOptions.map(fieldsOf) : []
  return options.find((option) => option['category'] === 'model' && option['type'] === 'select')
}

function offerOf(answer: Fields): ModelOffer | undefined {
  const option = modelOption(answer['configOptions'])
  const configId = wordOf(option?.['id'])
  if (option && configId !== undefined) {
    const groups = Array.isArray(option['options']) ? option['options'].map(fieldsOf) : []
    const flat = groups.flatMap((entry) => (Array.isArray(entry['options']) ? entry['options'].map(fieldsOf) : [entry]))
    return {
      current: wordOf(option['currentValue']),
      values: flat.flatMap((entry) => wordOf(entry['value']) ?? []),
      choose: (agent, sessionId, value) =>
        agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value }),
    }
  }
  // As agents offered it before there were config options.
  const models = fieldsOf(answer['models'])
  const listed = Array.isArray(models['availableModels']) ? models['availableModels'].map(fieldsOf) : []
  if (listed.length === 0) return undefined
  return {
    current: wordOf(models['currentModelId']),
    values: listed.flatMap((entry) => wordOf(entry['modelId']) ?? []),
    choose: (agent, sessionId, modelId) => agent.request('session/set_model', { sessionId, modelId }),
  }
}
