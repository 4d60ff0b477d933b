package folder

import (
	"errors"
	"syscall"

	"github.com/bobbinhq/bobbin/workflow/failpoint"
)

// disks holds the errors of this machine's disks in words for people. A session cannot fix them, and
// trying again would only fill the rest of the disk.
var disks = []struct {
	errno      syscall.Errno
	what, cure string
}{
	{syscall.ENOSPC, "The disk of the machine I run on is full", "My operator frees space there"},
	{
		syscall.EDQUOT, "The disk quota of the account I run as is used up",
		"My operator raises it or frees space there",
	},
	{
		syscall.EROFS, "The disk of the machine I run on cannot be written to any more",
		"My operator makes it writable again",
	},
	{syscall.EIO, "The disk of the machine I run on fails", "My operator looks after it"},
}

// DiskMessage returns the sentence about the disk error in err, or an empty string if err is no disk
// error.
func DiskMessage(err error) string {
	for _, d := range disks {
		if errors.Is(err, d.errno) && !failpoint.Disabled(failpoint.DiskErrors) {
			return d.what + ", so I stopped in the middle. Nothing that I had kept is lost. " + d.cure +
				"; reply here then, and I go on."
		}
	}
	return ""
}

// fewBytes is less than what one step of an agent needs.
const fewBytes = 64 << 10

// CheckSpace returns an error if the disk of the folders or of the build cache is full. A command or
// test that fails for lack of space must not be taken for a fault of the code.
func (d *Folders) CheckSpace() error {
	for _, dir := range []string{d.Dir, d.CacheDir} {
		var s syscall.Statfs_t
		if dir == "" || syscall.Statfs(dir, &s) != nil {
			continue // the folder does not exist yet, or its file system cannot be read
		}
		if s.Blocks > 0 && s.Bavail*uint64(s.Bsize) < fewBytes || s.Files > 0 && s.Ffree == 0 {
			return syscall.ENOSPC
		}
	}
	return nil
}
