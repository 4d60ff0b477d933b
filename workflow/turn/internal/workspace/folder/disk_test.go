package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestDiskWords(t *testing.T) {
	t.Parallel()
	for errno, want := range map[syscall.Errno]string{
		syscall.ENOSPC: "is full, so I stopped in the middle. Nothing that I had kept is lost. " +
			"My operator frees space there; reply here",
		syscall.EDQUOT: "The disk quota of the account I run as is used up, so",
		syscall.EROFS:  "cannot be written to any more, so",
		syscall.EIO:    "The disk of the machine I run on fails, so",
	} {
		err := fmt.Errorf("keep the files: %w",
			errors.Join(errors.New("x"), &fs.PathError{Op: "write", Path: "/srv/a", Err: errno}))
		require.Contains(t, DiskMessage(err), want)
		require.NotContains(t, DiskMessage(err), "/srv", "a path of the machine")
		require.False(t, strings.Contains(DiskMessage(err), "\n"))
	}
	for _, err := range []error{nil, errors.New("no space left on device"), fs.ErrNotExist, syscall.EACCES} {
		require.Empty(t, DiskMessage(err))
	}
}

func TestRoomIsLeft(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	require.NoError(t, (&Folders{Dir: dir, CacheDir: filepath.Join(dir, "not made yet")}).CheckSpace())
	require.NoError(t, (&Folders{Dir: dir, CacheDir: ""}).CheckSpace())
}
