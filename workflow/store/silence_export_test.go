package store

// WithoutLock sets whether the notifier works without its lock.
func (n *SilenceNotifier) WithoutLock(unguarded bool) { n.unguarded = unguarded }
