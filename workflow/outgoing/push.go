package outgoing

// A Push is the intent to push, kept before it happens and settled after it.
type Push struct {
	Commit     string
	Tree       string
	BaseCommit string
	Branch     string
	Approval   string
	ReportHash string // of the report that the approval is of; the store fills it in
	State      PushState
	Reason     string
	Unproven   string // why nothing was proven of it; somebody allowed that by a word of its own
}

// PushState is where a push stands.
type PushState string

// The states of a push.
const (
	PushIntended PushState = "intended"
	PushDone     PushState = "pushed"
	PushRefused  PushState = "refused"
)
