package workflow

// Why something is not shown in a channel, in words for people. Both are clauses.
const (
	OutsidersThere = "guests or people from another workspace are in this channel"
	MembersUnseen  = "I could not see who is in this channel"
)
