package outbox

// KeepOrder sets whether reactions wait behind the lines before them, as they once did.
func (o *Outbox) KeepOrder(inOrder bool) { o.inOrder = inOrder }

// GuardEdits sets whether a late edit looks for what it overwrote.
func (o *Outbox) GuardEdits(on bool) { o.guardEdits = on }
