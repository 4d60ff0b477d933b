package store

// InternalParts returns one of each part that every recording has.
func InternalParts() []Part { return []Part{readMark{}, settling{}, redrawing{}, endingSigns{}} }
