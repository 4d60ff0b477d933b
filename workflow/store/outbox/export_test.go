package outbox

// KeepOrder has reactions wait behind the lines before them, as they did once.
func (o *Outbox) KeepOrder(inOrder bool) { o.inOrder = inOrder }

// GuardEdits has an edit that came late look for what it overwrote, or not.
func (o *Outbox) GuardEdits(on bool) { o.guardEdits = on }
