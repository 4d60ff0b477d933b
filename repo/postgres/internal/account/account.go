package account

import (
	"os"
	"strconv"
	"syscall"
)

// An Account is the operating system account that a program of Postgres runs as.
type Account struct {
	Name     string
	UID, GID int
	cred     *syscall.Credential // nil: run as this process's own account
}

// Self returns the account of this process.
func Self() Account {
	return Account{Name: "uid " + strconv.Itoa(os.Geteuid()), UID: os.Geteuid(), GID: os.Getegid()}
}

// New returns another account. Only root may run programs as it.
func New(name string, uid, gid int) Account {
	return Account{name, uid, gid, &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
