package folder

// Folders are the sessions' folders on this machine. A folder can be written anew from rows
// and the mirror, so it may go whenever no turn works in it.
type Folders struct {
	Dir      string
	CacheDir string // of builds; empty: there is none
	Locks    *Locks
}
