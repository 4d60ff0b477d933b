export class TimeoutError extends Error {
  constructor(ms) {
    super(`it took more than ${ms} ms`)
    this.name = 'TimeoutError'
  }
}

// within gives what a promise gives, or rejects after so many milliseconds. 0: it waits for ever.
export function within(promise, ms) {
  if (!ms) return promise
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(new TimeoutError(ms)), ms)
    promise.then(
      value => {
        clearTimeout(timer)
        resolve(value)
      },
      error => {
        clearTimeout(timer)
        reject(error)
      },
    )
  })
}
