package process

import (
	"os"
	"runtime"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// The thread that the kernel takes for the process stays in the process's group: what the
// program itself needs would be counted as the command's, and new groups would be made
// below that one.
func TestTheFirstThreadStartsNothing(t *testing.T) {
	t.Parallel()
	var all sync.WaitGroup
	for range 50 {
		all.Go(func() { OnNewThread(func() { require.False(t, unix.Gettid() == os.Getpid()); runtime.Gosched() }) })
	}
	all.Wait()
}
