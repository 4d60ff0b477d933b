package workflow

// A Person is what Slack says of a user, read fresh for each decision.
type Person struct {
	ID       string
	Name     string
	Credit   string // how a commit names the person: Ann Author <ann@example.com>
	Team     string
	Bot      bool
	Guest    bool // restricted or ultra restricted
	Stranger bool // from another workspace (Slack Connect)
	Deleted  bool
	Admin    bool // or an owner of the workspace
	InThread bool // a member of the channel the thread is in
}
