package user

// The user that commands are, outside when the program runs as root, and inside always.
const (
	OutsideID = 65534
	InsideID  = 1000
)
