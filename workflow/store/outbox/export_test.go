package outbox

// KeepOrder has reactions wait behind the lines before them, as they did once.
func (o *Outbox) KeepOrder(inOrder bool) { o.inOrder = inOrder }
