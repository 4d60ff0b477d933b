package user

// Users and groups of commands: OutsideID on the machine if this program runs as root, InsideID inside a
// sandbox.
const (
	OutsideID = 65534
	InsideID  = 1000
)
