package silence

// WithoutLock sets whether the breaker works without its lock.
func (n *Notifier) WithoutLock(unguarded bool) { n.unguarded = unguarded }
