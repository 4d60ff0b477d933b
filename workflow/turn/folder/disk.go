package folder

import (
	"errors"
	"syscall"
)

// disks are the troubles of this machine's disks in people's words: nothing that the
// session does mends them, and trying again would only fill what is left.
var disks = []struct {
	errno      syscall.Errno
	what, cure string
}{
	{syscall.ENOSPC, "The disk of the machine I run on is full", "Whoever runs me frees space there"},
	{syscall.EDQUOT, "The disk quota of the account I run as is used up", "Whoever runs me raises it or frees space there"},
	{syscall.EROFS, "The disk of the machine I run on cannot be written to any more", "Whoever runs me makes it writable again"},
	{syscall.EIO, "The disk of the machine I run on fails", "Whoever runs me looks after it"},
}

// DiskMessage says which trouble of this machine's disks an error comes from; empty: none.
func DiskMessage(err error) string {
	for _, d := range disks {
		if errors.Is(err, d.errno) {
			return d.what + ", so I stopped in the middle. Nothing that I had kept is lost. " + d.cure + "; reply here then, and I go on."
		}
	}
	return ""
}

// fewBytes is less than one step of an agent takes.
const fewBytes = 64 << 10

// CheckSpace returns an error where the disk of the folders or of the build cache is full.
// Commands and tests that fail for want of room must not be taken for a fault of what they
// were run on.
func (d *Folders) CheckSpace() error {
	for _, dir := range []string{d.Dir, d.CacheDir} {
		var s syscall.Statfs_t
		if dir == "" || syscall.Statfs(dir, &s) != nil {
			continue // not made yet, or not to be asked
		}
		if s.Blocks > 0 && s.Bavail*uint64(s.Bsize) < fewBytes || s.Files > 0 && s.Ffree == 0 {
			return syscall.ENOSPC
		}
	}
	return nil
}
