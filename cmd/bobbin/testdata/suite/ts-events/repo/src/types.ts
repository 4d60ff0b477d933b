// A Listener hears of one event.
export type Listener<Payload> = (payload: Payload) => void

// An AnyListener hears of all.
export type AnyListener<Events> = <Name extends keyof Events>(name: Name, payload: Events[Name]) => void

// Off removes a listener. To call it again does nothing.
export type Off = () => void
