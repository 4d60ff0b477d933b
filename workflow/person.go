package workflow

// A Person is what Slack says about a user, read anew for each decision.
type Person struct {
	ID       string
	Name     string
	Credit   string // how a commit names the person: Ann Author <ann@example.com>
	Team     string
	Bot      bool
	Guest    bool // restricted or ultra restricted
	Stranger bool // from another workspace (Slack Connect)
	Deleted  bool
	Admin    bool // an admin or an owner of the workspace
	InThread bool // a member of the channel the thread is in
}
