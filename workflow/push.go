package workflow

// A Push is the intent to push, stored before the push and updated after it.
type Push struct {
	Commit     string
	Tree       string
	BaseCommit string
	Branch     string
	Approval   string
	ReportHash string // hash of the report that was approved; the store fills it in
	State      PushState
	Reason     string
	Unproven   string // why nothing was proven of it, which a person allowed with a separate reply; empty: it was proven

	Expectations string // changed expectations of tests that a person allowed with a separate reply, one a line
}

// PushState is the state of a push.
type PushState string

// The states of a push.
const (
	PushIntended PushState = "intended"
	PushDone     PushState = "pushed"
	PushRefused  PushState = "refused"
)
