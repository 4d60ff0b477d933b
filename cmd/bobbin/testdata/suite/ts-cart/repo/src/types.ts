// Cents are whole; there are no fractions of them.
export type Cents = number

export interface Article {
  id: string
  name: string
  price: Cents
}

export interface Item {
  article: Article
  quantity: number
}

// Shipping says what it costs, and from which value of goods on it is free.
export interface Shipping {
  shipping: Cents
  freeFrom?: Cents
}

export interface Totals {
  goods: Cents
  shipping: Cents
  total: Cents
}
