/** Sends every webhook of a merchant again. For the on-call person. */
for (const hook of await ledger.webhooksOf(process.argv[2])) await retryWebhook(hook)
