// Waiting keeps jobs in the order in which they are run.
export class Waiting {
  #jobs = []

  get length() {
    return this.#jobs.length
  }

  // add puts a job behind all that have its priority or a higher one.
  add(job) {
    let at = this.#jobs.length
    while (at > 0 && this.#jobs[at]?.priority < job.priority) at--
    this.#jobs.splice(at, 0, job)
  }

  take() {
    return this.#jobs.shift()
  }

  clear() {
    return this.#jobs.splice(0)
  }
}
