/** A set-up step that cannot go on: what a person reads is the step, the reason and the remedy, never a stack. */
export class StepFailure extends Error {
  /**
   * @param {string} reason one sentence: what happened, to what
   * @param {string} remedy what to do about it; commands on lines of their own
   * @param {string} [output] the last lines a failed program printed
   */
  constructor(reason, remedy, output = '') {
    super(reason)
    this.name = 'StepFailure'
    /** @type {string | undefined} filled in by whoever ran the step */
    this.step = undefined
    this.remedy = remedy
    this.output = output
  }
}

/** What a package registry did not give: trouble of the network or of this machine's npm, not of what was asked for. */
export class RegistryFailure extends StepFailure {}
