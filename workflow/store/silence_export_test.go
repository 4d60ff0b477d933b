package store

// WithoutLock sets whether the breaker works without its lock.
func (n *SilenceNotifier) WithoutLock(unguarded bool) { n.unguarded = unguarded }
