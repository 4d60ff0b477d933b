package silence

// WithoutLock has the breaker take no lock.
func (b *Breaker) WithoutLock(unguarded bool) { b.unguarded = unguarded }
