package user

// The users that commands run as: OutsideID on the machine when this program runs as root,
// InsideID inside a sandbox.
const (
	OutsideID = 65534
	InsideID  = 1000
)
