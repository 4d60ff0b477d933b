import type { Bus } from './bus.js'

// until gives the payload of the next such event that is wanted.
export function until<Events extends object, Name extends keyof Events>(
  bus: Bus<Events>, name: Name, wanted: (payload: Events[Name]) => boolean = () => true,
): Promise<Events[Name]> {
  return new Promise(resolve => {
    const off = bus.on(name, payload => {
      if (!wanted(payload)) return
      off()
      resolve(payload)
    })
  })
}
