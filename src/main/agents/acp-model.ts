import { methods, type ClientContext } from '@agentclientprotocol/sdk/unstable'
import type { ModelChoice } from '../../shared/tools.ts'
import { fieldsOf, wordOf, type Fields } from './fields.ts'
import { requestFailure } from './acp-failure.ts'

/** What an agent lets one choose for a session, and how. */
interface Offer {
  readonly current: string | undefined
  readonly values: readonly string[]
  /** Resolves to the agent's config options after it, where it tells them. */
  choose(agent: ClientContext, sessionId: string, value: string): Promise<unknown>
}

export interface ChosenModel {
  /** The model the agent says it uses. */
  readonly model: string | undefined
  /** Why it is not what was asked for. */
  readonly trouble?: string
}

const MOST_NAMED = 20

/**
 * Chooses the model and the reasoning effort that were asked for, where the agent offers them; else its own stay, and it is
 * said why.
 * @param session.answer what the agent answered when it opened the session.
 */
export async function chooseModel(
  agent: ClientContext,
  { sessionId, answer }: { readonly sessionId: string; readonly answer: Fields },
  asked: ModelChoice | undefined,
): Promise<ChosenModel> {
  const offer = modelOffer(answer)
  if (!asked) return { model: offer?.current }
  const names = [`${asked.provider}/${asked.model}`, asked.model]
  const model = await choose(agent, sessionId, offer, { what: 'model', names })
  const { reasoningEffort } = asked
  const effort =
    reasoningEffort === undefined
      ? undefined
      : // What there is to choose from may be another's, now that the model is.
        await choose(agent, sessionId, configOffer(model.options ?? answer['configOptions'], 'thought_level'), {
          what: 'reasoning effort',
          names: [reasoningEffort],
        })
  const trouble = [model.trouble, effort?.trouble].filter((words) => words !== undefined).join(' ')
  return { model: model.current, ...(trouble !== '' && { trouble }) }
}

/** The model that config options say is used. */
export function currentModel(configOptions: unknown): string | undefined {
  return configOffer(configOptions, 'model')?.current
}

interface Chosen {
  readonly current: string | undefined
  readonly trouble?: string
  readonly options?: unknown
}

/** @param wanted.names the values that would do, the best first. */
async function choose(
  agent: ClientContext,
  sessionId: string,
  offer: Offer | undefined,
  { what, names }: { readonly what: string; readonly names: readonly string[] },
): Promise<Chosen> {
  const asked = names.at(-1) ?? ''
  const current = offer?.current
  if (!offer) return { current, trouble: `The agent offers no choice of ${what}, so ${asked} was not chosen.` }
  const value = names.find((name) => offer.values.includes(name))
  if (value === undefined) {
    const offered = offer.values.slice(0, MOST_NAMED).join(', ')
    const more = offer.values.length > MOST_NAMED ? `, and ${offer.values.length - MOST_NAMED} more` : ''
    return { current, trouble: `The agent does not offer the ${what} ${asked}. It offers: ${offered}${more}.` }
  }
  if (value === current) return { current }
  try {
    const options = await offer.choose(agent, sessionId, value)
    const used = what === 'model' ? currentModel(options) : undefined
    if (used === undefined || used === value) return { current: value, options }
    return { current: used, options, trouble: `The agent was asked for the ${what} ${value} and uses ${used}.` }
  } catch (error) {
    return { current, trouble: requestFailure(`did not choose the ${what} ${value}`, error).message }
  }
}

/** A choice among config options, by what ACP says it is about. */
function configOffer(configOptions: unknown, category: string): Offer | undefined {
  const options = Array.isArray(configOptions) ? configOptions.map(fieldsOf) : []
  const option = options.find((one) => one['category'] === category && one['type'] === 'select')
  const configId = wordOf(option?.['id'])
  if (!option || configId === undefined) return undefined
  // A list of values, or of groups of them.
  const listed = Array.isArray(option['options']) ? option['options'].map(fieldsOf) : []
  const flat = listed.flatMap((entry) => (Array.isArray(entry['options']) ? entry['options'].map(fieldsOf) : [entry]))
  return {
    current: wordOf(option['currentValue']),
    values: flat.flatMap((entry) => wordOf(entry['value']) ?? []),
    async choose(agent, sessionId, value) {
      const answer = await agent.request(methods.agent.session.setConfigOption, { sessionId, configId, value })
      return fieldsOf(answer)['configOptions']
    },
  }
}

function modelOffer(answer: Fields): Offer | undefined {
  const offer = configOffer(answer['configOptions'], 'model')
  if (offer) return offer
  // As agents offered it before there were config options.
  const models = fieldsOf(answer['models'])
  const listed = Array.isArray(models['availableModels']) ? models['availableModels'].map(fieldsOf) : []
  if (listed.length === 0) return undefined
  return {
    current: wordOf(models['currentModelId']),
    values: listed.flatMap((entry) => wordOf(entry['modelId']) ?? []),
    async choose(agent, sessionId, modelId) {
      await agent.request('session/set_model', { sessionId, modelId })
      return undefined
    },
  }
}
