import { send, type Webhook } from './webhook.ts'

const MAX_ATTEMPTS = 25
const PAUSE = 1000

/** Sends a webhook until the merchant takes it. */
export async function retryWebhook(hook: Webhook): Promise<void> {
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    const answer = await send(hook)
    if (answer.ok) return
    await sleep(PAUSE)
  }
  await hook.giveUp()
}
