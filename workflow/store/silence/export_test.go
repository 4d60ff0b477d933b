package silence

// WithoutLock sets whether the breaker works without its lock.
func (b *Notifier) WithoutLock(unguarded bool) { b.unguarded = unguarded }
