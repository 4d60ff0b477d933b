package account

import (
	"os"
	"strconv"
	"syscall"
)

// An Account is whom the server runs as.
type Account struct {
	Name     string
	UID, GID int
	cred     *syscall.Credential // nil: as ourselves
}

// Self is the account of this program.
func Self() Account {
	return Account{Name: "uid " + strconv.Itoa(os.Geteuid()), UID: os.Geteuid(), GID: os.Getegid()}
}

// New is another account, which root may run programs as.
func New(name string, uid, gid int) Account {
	return Account{name, uid, gid, &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}
}
